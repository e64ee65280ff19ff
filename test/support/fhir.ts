import type { DevClinic } from '@clinic/accounts/seed';
import type { App } from './app';
import type { Answer, Ask } from './clinic-client';

export type FhirClinic = Awaited<ReturnType<typeof openSandbox>>;

/** A clinic of a running service as its FHIR client sees it: signed in as staff, the sandbox turned on. */
export async function openSandbox(app: App, clinic: DevClinic = app.clinic) {
  const [admin, staff] = await Promise.all([app.signIn(clinic), app.signIn(clinic.staff)]);
  const config = '/abandonment-recovery/sandbox-emr/config';
  await app.request('PUT', config, { body: { enabled: true }, bearer: admin });

  const ask = (method: string, path: string, { headers, ...rest }: Ask = {}): Promise<Answer> =>
    app.request(method, path, {
      bearer: staff,
      headers: { ...(rest.body !== undefined && { 'content-type': 'application/fhir+json' }), ...headers },
      ...rest,
    });
  const get = (path: string) => ask('GET', path);
  const post = (path: string, body?: unknown, headers?: Record<string, string>) => ask('POST', path, { body, headers });

  let people = 0;
  const match = (identifier: unknown) => post('/Patient/$match', aMatch(identifier));
  /** Somebody new: the id of a patient whom nobody has matched before. */
  const aPatient = async (): Promise<string> => {
    people += 1;
    const { body } = await match(`person-${clinic.clinicId}-${people}`);
    return body.entry[0].resource.id;
  };

  const slots = async (provider = 'Dr.Chen', parameters = ''): Promise<FhirSlot[]> => {
    const { body } = await get(`/Slot?schedule=Schedule/${provider}&_count=500${parameters}`);
    return body.entry.map(({ resource }: { resource: FhirSlot }) => resource);
  };
  /** None that begins while a test runs: it would be in the past by the time it is booked. */
  const slotsAhead = async (provider = 'Dr.Chen'): Promise<FhirSlot[]> =>
    (await slots(provider)).filter(({ start }) => Math.abs(Date.parse(start) - Date.now()) > 10 * 60_000);
  const handedOut = new Set<string>();
  /** The start of a slot that no test has had before. */
  const aStart = async (provider = 'Dr.Chen'): Promise<string> => {
    for (const { id, start } of await slotsAhead(provider)) {
      if (handedOut.has(id)) continue;
      handedOut.add(id);
      return start;
    }
    throw new Error(`${provider} has no slot left`);
  };

  const book = (booking: Booking, headers?: Record<string, string>) =>
    post('/Appointment/$book', aBooking(booking), headers);
  /** A booked appointment, as it was answered. */
  const aBooked = async (booking: Partial<Booking> = {}) => {
    const patient = booking.patient ?? (await aPatient());
    const start = booking.start ?? (await aStart(booking.provider));
    const { status, body, text } = await book({ ...booking, patient, start });
    if (status !== 200) throw new Error(`a booking failed: ${text}`);
    return body;
  };
  const reschedule = (id: string, start: unknown, headers?: Record<string, string>) =>
    post(`/Appointment/${id}/$reschedule`, { start }, headers);
  const cancel = (id: string, headers?: Record<string, string>) =>
    post(`/Appointment/${id}/$cancel`, undefined, headers);

  return {
    clinic,
    admin,
    staff,
    ask,
    get,
    post,
    config,
    match,
    aPatient,
    slots,
    slotsAhead,
    aStart,
    book,
    aBooked,
    reschedule,
    cancel,
    setEnabled: (enabled: unknown, bearer = admin) => app.request('PUT', config, { body: { enabled }, bearer }),
  };
}

export interface FhirSlot {
  resourceType: 'Slot';
  id: string;
  schedule: { reference: string };
  status: string;
  start: string;
  end: string;
}

export interface Booking {
  patient: string;
  start: string;
  provider?: string;
  visitType?: string;
}

/** The body of `$book`. */
export function aBooking({ patient, start, provider = 'Dr.Chen', visitType }: Booking) {
  return parametersOf({
    name: 'appointment',
    resource: {
      resourceType: 'Appointment',
      status: 'proposed',
      ...(visitType && { serviceType: [{ text: visitType }] }),
      start,
      participant: [
        { actor: { reference: `Patient/${patient}` }, status: 'needs-action' },
        { actor: { reference: `Practitioner/${provider}` }, status: 'needs-action' },
      ],
    },
  });
}

/** The body of `$match`. */
export const aMatch = (identifier: unknown) => parametersOf({ name: 'identifier', valueString: identifier });

/** A Parameters resource. */
export const parametersOf = (...parameter: unknown[]) => ({ resourceType: 'Parameters', parameter });

/** A note to be written back. */
export const aNote = (patient: string, text = 'Wants to come on a Tuesday.') => ({
  resourceType: 'DocumentReference',
  status: 'current',
  subject: { reference: `Patient/${patient}` },
  content: [{ attachment: { contentType: 'text/plain', data: Buffer.from(text).toString('base64') } }],
});
