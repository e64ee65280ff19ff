import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { RequestEntry } from './evidence';
import type { Clinic, House } from './house';
import { ask } from './http';
import type { Ledger } from './ledger';
import type { Random } from '@clinic/local/random';

/** How long a client waits for an answer; what takes longer counts as hanging. */
export const CLIENT_PATIENCE_MS = 30_000;

/** How many of each kind are begun in a second, and how many there are at least. */
export interface LoadPlan {
  perSecond: number;
  atLeast: number;
  /** Of 1: the share of operations that are bookings; the rest are forms and starts. */
  bookings?: number;
  /** Of 1: the share of forms that have a phone, so that a call is made. */
  phones?: number;
  /** Sends each form this often; otherwise 1–4 times. */
  copies?: number;
  /** Of 1: the share of forms with a phone whose number is one of the simulator's; those numbers are shared. */
  scenes?: number;
  /** Of 1: the share of forms whose patient finishes the form meanwhile. */
  completions?: number;
  /** Only this clinic's. */
  clinic?: Clinic;
}

export interface Load {
  /** Begins to send, until `finish`. */
  begin(plan: LoadPlan): void;
  /** How many operations have been begun. */
  begun(): number;
  /** Begins no more, however many there are, and waits for nothing: what is under way may never end. */
  giveUp(): void;
  /** Begins no more once there are enough, and resolves when every operation has a definite answer. */
  finish(): Promise<void>;
  form(about: FormOperation): Promise<void>;
  /** The patient of a form finishes it. */
  complete(form: FormOperation): Promise<void>;
  /** What the load has booked or tried to. */
  slots: { clinicId: string; startsAt: string }[];
  forms: FormOperation[];
}

export interface FormOperation {
  operation: string;
  clinic: Clinic;
  sessionId: string;
  phone: string | null;
  expected: string[];
  copies: number;
  /** Over how long its copies are spread. */
  spreadMs: number;
  completedAfterMs: number | null;
  asStart: boolean;
  /** Of a start; a recovery where it is left out. */
  type?: WorkflowType;
}

/** The simulator's numbers by how their scene ends; any other number agrees. */
const scenes: [string, string][] = [
  ['+15005550002', 'FOLLOW_UP_REQUIRED'],
  ['+15005550003', 'PRICING_ESCALATION'],
  ['+15005550004', 'CLINICAL_ESCALATION'],
  ['+15005550005', 'PATIENT_NOT_INTERESTED'],
  ['+15005550008', 'FOLLOW_UP_REQUIRED'],
];

const areas = [415, 212, 303, 305, 312, 404, 512, 617, 702, 713, 206, 503, 602, 614, 215, 314, 412, 801, 720, 213];
let phones = 0;

/**
 * A number that nobody had before: cases of one patient would wait for each other. It is where it is day at this hour, so
 * that a real phone may be called: in the United States, Tokyo or London.
 */
export function aPhone(): string {
  phones += 1;
  const [hour, digits] = [new Date().getUTCHours(), String(phones % 100_000).padStart(5, '0')];
  if (hour >= 3 && hour < 10) return `+813555${digits}`;
  if (hour >= 10 && hour < 16) return `+4420794${digits}`;
  return `+1${areas[Math.floor(phones / 10_000) % areas.length]}555${String(phones % 10_000).padStart(4, '0')}`;
}

/** Clients that ask until they have a definite answer, always with the same key. */
export function createLoad({
  house,
  prefix,
  random,
  requests,
  patience = 1,
}: {
  house: House;
  /** Every session id begins with it. */
  prefix: string;
  random: Random;
  requests: Ledger<RequestEntry>;
  /** A slower machine is given less to do in a second. */
  patience?: number;
}): Load {
  const { baseUrl, clinics } = house;
  const slots: Load['slots'] = [];
  const forms: FormOperation[] = [];
  const running = new Set<Promise<void>>();
  const free = new Map<string, { providerName: string; startsAt: string }[]>();
  const slotRandom = random.fork('slots');
  const patients = new Map<string, string>();
  let begun = 0;
  let isFinishing = false;
  let isGivenUp = false;
  let generating: Promise<void> = Promise.resolve();
  let used = 0;

  const once = async (
    about: Pick<RequestEntry, 'operation' | 'kind' | 'clinicId' | 'sessionId' | 'expected' | 'slot'>,
    request: { method: string; path: string; headers: Record<string, string>; body: unknown },
  ): Promise<{ entry: RequestEntry; body: Answer | null; waitMs: number }> => {
    const startedAt = Date.now();
    const answer = await ask({ ...request, url: `${baseUrl}${request.path}`, timeoutMs: CLIENT_PATIENCE_MS }).catch(
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    );
    const base = { at: new Date(startedAt).toISOString(), ...about, ms: Date.now() - startedAt };
    const nothing = { workflowId: null, recoveryCaseId: null, appointmentId: null };
    if (typeof answer === 'string') {
      const entry: RequestEntry = {
        ...base,
        ...nothing,
        result: 'unknown',
        status: null,
        error: answer,
        hasRetryAfter: false,
      };
      requests.add(entry);
      return { entry, body: null, waitMs: 200 };
    }
    const { status, text, headers } = answer;
    const body = parse(text);
    const retryAfter = headers['retry-after'];
    const isOk = status === 200;
    const entry: RequestEntry = {
      ...base,
      result: isOk ? 'ok' : status >= 500 || status === 429 || status === 408 ? 'unknown' : 'refused',
      status,
      error: isOk ? null : text.slice(0, 200),
      hasRetryAfter: retryAfter !== undefined,
      workflowId: (isOk && body?.workflowId) || null,
      recoveryCaseId: (isOk && body?.recoveryCaseId) || null,
      appointmentId: (isOk && about.kind === 'booking' && body?.id) || null,
    };
    requests.add(entry);
    return { entry, body, waitMs: Math.min(Number(retryAfter ?? 0.2) * 1_000, 1_000) };
  };

  const untilDefinite = async (...[about, request]: Parameters<typeof once>): Promise<RequestEntry> => {
    for (const deadline = Date.now() + 90_000; ;) {
      const { entry, waitMs } = await once(about, request);
      if (entry.result !== 'unknown' || Date.now() > deadline) return entry;
      await delay(waitMs);
    }
  };

  const sendForm = async (about: FormOperation, copy: number): Promise<void> => {
    const { operation, clinic, sessionId, phone, expected, asStart, type } = about;
    const { clinicId, apiKey, inboundSecrets } = clinic;
    const isStart = asStart && copy === 0;
    await untilDefinite(
      { operation, kind: isStart ? 'start' : 'form', clinicId, sessionId, expected, slot: null },
      isStart
        ? {
            method: 'POST',
            path: '/workflows/start',
            headers: { authorization: `Bearer ${apiKey}` },
            body: aStart({ clinicId, sessionId, phone, type }),
          }
        : {
            method: 'POST',
            path: `/automation/webhook/${clinicId}/forms-abandoned`,
            headers: { 'x-automation-secret': inboundSecrets['forms-abandoned']! },
            body: aForm({ sessionId, phone }),
          },
    );
  };

  const complete = async ({ clinic, sessionId, operation }: FormOperation): Promise<void> => {
    const { clinicId, inboundSecrets } = clinic;
    await untilDefinite(
      {
        operation: `${operation}-completed`,
        kind: 'complete',
        clinicId,
        sessionId,
        expected: ['ALREADY_COMPLETED', 'RECOVERED'],
        slot: null,
      },
      {
        method: 'POST',
        path: `/automation/webhook/${clinicId}/forms-completed`,
        headers: { 'x-automation-secret': inboundSecrets['forms-completed']! },
        body: { event: 'forms.completed', tenant_id: 'tenant-1', data: { session_id: sessionId } },
      },
    );
  };

  const form = async (about: FormOperation): Promise<void> => {
    forms.push(about);
    const { copies, spreadMs, completedAfterMs } = about;
    const sends = Array.from({ length: copies }, async (_unused, copy) => {
      await delay((spreadMs * copy) / Math.max(1, copies - 1));
      await sendForm(about, copy);
    });
    if (completedAfterMs !== null) sends.push(delay(completedAfterMs).then(() => complete(about)));
    await Promise.all(sends);
  };

  const planForm = (plan: LoadPlan): FormOperation => {
    used += 1;
    const hasPhone = random.chance(plan.phones ?? 0.5);
    const scene = random.chance(plan.scenes ?? 0.15) ? scenes[used % scenes.length] : undefined;
    const [phone, end] = !hasPhone ? [null, 'PATIENT_NOT_REACHED'] : (scene ?? [aPhone(), 'RECOVERED']);
    const asStart = phone !== null && random.chance(0.25);
    return {
      operation: `${prefix}${used}`,
      clinic: plan.clinic ?? random.pick(clinics),
      sessionId: `${prefix}${used}`,
      phone,
      expected: [end],
      copies: plan.copies ?? random.whole(1, 4),
      spreadMs: random.between(0, 1_500),
      completedAfterMs: random.chance(plan.completions ?? 0.1) ? random.between(0, 1_500) : null,
      asStart,
    };
  };

  const asStaff = async (clinic: Clinic, method: string, path: string, body?: unknown): Promise<Answer> => {
    for (const deadline = Date.now() + 60_000; ; await delay(300)) {
      const answer = await ask({
        method,
        url: `${baseUrl}${path}`,
        headers: { authorization: `Bearer ${clinic.token}` },
        body,
        timeoutMs: CLIENT_PATIENCE_MS,
      }).catch(() => null);
      if (answer?.status === 200) return parse(answer.text) ?? {};
      if (Date.now() > deadline) throw new Error(`${method} ${path}: ${answer?.status} ${answer?.text}`);
    }
  };

  const patientOf = async (clinic: Clinic): Promise<string> => {
    const known = patients.get(clinic.clinicId);
    if (known) return known;
    const bundle = await asStaff(clinic, 'POST', '/Patient/$match', {
      resourceType: 'Parameters',
      parameter: [{ name: 'identifier', valueString: `${prefix}patient` }],
    });
    const id = bundle.entry?.[0]?.resource.id ?? '';
    patients.set(clinic.clinicId, id);
    return id;
  };

  const aSlot = async (clinic: Clinic) => {
    const known = free.get(clinic.clinicId) ?? [];
    free.set(clinic.clinicId, known);
    for (let tries = 0; known.length === 0 && tries < 30; tries += 1) {
      const providerName = slotRandom.pick(clinic.providers);
      const from = new Date(Date.now() + slotRandom.whole(1, 300) * 86_400_000).toISOString().slice(0, 10);
      const path = `/Slot?schedule=Schedule/${providerName}&start=ge${from}&_count=50`;
      for (const { resource } of (await asStaff(clinic, 'GET', path)).entry ?? []) {
        if (resource.start) known.push({ providerName, startsAt: resource.start });
      }
    }
    return known.pop() ?? null;
  };

  /** Two people want one slot, and each asks until he knows. */
  const book = async (operation: string, clinic: Clinic): Promise<void> => {
    const [patientId, slot] = await Promise.all([patientOf(clinic), aSlot(clinic)]);
    if (!slot) return;
    const { clinicId, token } = clinic;
    slots.push({ clinicId, startsAt: slot.startsAt });
    await Promise.all(
      ['-one', '-two'].map((person) =>
        untilDefinite(
          { operation: `${operation}${person}`, kind: 'booking', clinicId, sessionId: null, expected: null, slot },
          {
            method: 'POST',
            path: '/Appointment/$book',
            headers: { authorization: `Bearer ${token}`, 'idempotency-key': `${operation}${person}` },
            body: aBooking({ patientId, ...slot }),
          },
        ),
      ),
    );
  };

  const launch = (work: Promise<void>) => {
    const watched = work.finally(() => running.delete(watched));
    running.add(watched);
    // `finish` reports it.
    watched.catch(() => undefined);
  };
  const generate = async (plan: LoadPlan): Promise<void> => {
    const end = begun + plan.atLeast;
    while (!isGivenUp && (!isFinishing || begun < end)) {
      // Faults may take long on a busy machine: what is sent meanwhile must still be done afterwards.
      const perSecond = begun < end ? plan.perSecond / patience : Math.min(1, plan.perSecond);
      await delay(1_000 / perSecond);
      begun += 1;
      if (random.chance(plan.bookings ?? 0.2))
        launch(book(`${prefix}booking-${begun}`, plan.clinic ?? random.pick(clinics)));
      else launch(form(planForm(plan)));
    }
  };

  return {
    slots,
    forms,
    form,
    complete,
    begun: () => begun,
    begin(plan) {
      isFinishing = false;
      generating = generate(plan);
    },
    giveUp() {
      isGivenUp = true;
    },
    async finish() {
      isFinishing = true;
      await generating;
      while (running.size > 0) await Promise.all(running);
    },
  };
}

interface Answer {
  id?: string;
  workflowId?: string;
  recoveryCaseId?: string;
  entry?: { resource: { id: string; start?: string } }[];
}

function parse(text: string): Answer | null {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return null;
  }
}

export function aForm({
  sessionId,
  phone,
  sentAt = new Date(),
}: {
  sessionId: string;
  phone: string | null;
  sentAt?: Date;
}) {
  const at = sentAt.toISOString();
  return {
    event: 'forms.abandoned',
    tenant_id: 'tenant-1',
    sent_at: at,
    data: {
      session_id: sessionId,
      form_id: 'intake',
      form_name: 'New patient intake',
      last_page_reached: 3,
      total_pages: 7,
      completion_percentage: 42.5,
      last_activity_at: at,
      draft_age_hours: 2.5,
      abandoned_at: at,
      resume_url: 'https://forms.example/resume/1',
      partial_form_data: {
        phi_first_name: 'Ann',
        phi_last_name: 'Lee',
        phi_email: 'ann@example.com',
        ...(phone !== null && { phi_phone: phone }),
      },
    },
  };
}

const aStart = ({
  clinicId,
  sessionId,
  phone,
  type = 'abandonment-recovery',
}: Pick<FormOperation, 'sessionId' | 'phone' | 'type'> & { clinicId: string }) => ({
  workflowType: type,
  clinicId,
  patient: { firstName: 'Ann', lastName: 'Lee', phone },
  context: { sessionId, resumeUrl: 'https://forms.example/resume/1' },
});

const aBooking = ({
  patientId,
  providerName,
  startsAt,
}: {
  patientId: string;
  providerName: string;
  startsAt: string;
}) => ({
  resourceType: 'Parameters',
  parameter: [
    {
      name: 'appointment',
      resource: {
        resourceType: 'Appointment',
        status: 'proposed',
        start: startsAt,
        participant: [
          { actor: { reference: `Patient/${patientId}` }, status: 'accepted' },
          { actor: { reference: `Practitioner/${providerName}` }, status: 'accepted' },
        ],
      },
    },
  ],
});
