import { newId } from '@clinic/shared/crypto';
import type { ApprovedApi, FhirCapabilities, FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { App } from './app';
import { aCall, aClinicIn, aPatient, tasksOf } from './calls';
import { type FhirServer, startFhirServer } from './outside/fhir-server';

/** A clinic with real patients whose calls act at its EHR, a FHIR server with one practitioner. */
export interface LiveClinic {
  ehr: FhirServer;
  clinicId: string;
  aCall(call: { workflowType: WorkflowType; patientId: string }): Promise<LiveCallOf>;
  aPatient(given?: Parameters<typeof aPatient>[1]): Promise<string>;
  /** Ann Lee as the server has her. */
  annThere(changed?: object): { id: string };
  /** Free times of 5 March 2035, as `09:00`. */
  slots(...times: string[]): { id: string }[];
  /** A booked appointment there. */
  appointmentThere(patientId: string, time: string, changed?: object): { id: string };
  change(fhir: Partial<FhirSettings>, capabilities?: Partial<FhirCapabilities>): Promise<void>;
  close(): Promise<void>;
}

export interface LiveCallOf {
  callId: string;
  pointer: string;
  ask(tool: string, args?: Record<string, unknown>): ReturnType<App['tool']>;
  /** As if the caller had stated the right date of birth. */
  verify(): Promise<void>;
  /** Why staff have tasks of this call. */
  tasks(): Promise<{ reason: string; detail: unknown }[]>;
}

export const at = (time: string) => `2035-03-05T${time}:00.000Z`;

export const BIRTH_DATE = '1990-02-03';

const capabilities: FhirCapabilities = { canBook: false, canHold: false, hasSlots: true, findsAppointments: true };

export async function openLiveClinic(app: App, given: { isLive?: boolean } = {}): Promise<LiveClinic> {
  const { isLive = true } = given;
  const ehr = await startFhirServer();
  ehr.add({ resourceType: 'Practitioner', id: '7' });
  ehr.add({ resourceType: 'Schedule', id: 's7', actor: [{ reference: 'Practitioner/7' }] });
  const { clinicId } = await aClinicIn(app, 'Europe/London', { monday: [{ opens: '09:00', closes: '17:00' }] });
  await app.database.sql`
    update clinics set voice_provider = 'vapi', simulator_asked_at = null, sandbox_enabled = false
    where id = ${clinicId}`;
  await app.database.sql`
    update calling_policies set books_in_own_calendar = ${!isLive}::boolean where clinic_id = ${clinicId}`;
  const settings: ApprovedApi = {
    kind: 'fhir-r4',
    baseUrl: ehr.url,
    auth: { method: 'none' },
    headers: [],
    actions: {},
    fhir: {
      isOn: true,
      isLive: true,
      permitted: ['patient.upsert', 'appointment.book', 'appointment.cancel', 'document.write', 'insurance.verify'],
      rescheduling: 'update',
      providers: [{ name: 'Dr.Vega', reference: 'Practitioner/7' }],
      visitTypes: [],
      locations: [],
    },
    capabilities,
  };
  const change: LiveClinic['change'] = async (fhir, declared = {}) =>
    app.stores.settings.setApprovedApi(clinicId, {
      ...settings,
      fhir: { ...settings.fhir!, ...fhir },
      capabilities: { ...capabilities, ...declared },
    });
  if (isLive) await change({});
  return {
    ehr,
    clinicId,
    change,
    aPatient: (patient = {}) => aPatient(app, { clinicId, ...patient }),
    annThere: (changed = {}) =>
      ehr.add({
        resourceType: 'Patient',
        name: [{ family: 'Lee', given: ['Ann'] }],
        birthDate: BIRTH_DATE,
        ...changed,
      }),
    slots: (...times) =>
      times.map((time) =>
        ehr.add({
          resourceType: 'Slot',
          status: 'free',
          schedule: { reference: 'Schedule/s7' },
          start: at(time),
          end: new Date(Date.parse(at(time)) + 30 * 60_000).toISOString(),
        }),
      ),
    appointmentThere: (patientId, time, changed = {}) =>
      ehr.add({
        resourceType: 'Appointment',
        status: 'booked',
        start: at(time),
        end: new Date(Date.parse(at(time)) + 30 * 60_000).toISOString(),
        participant: [{ actor: { reference: `Patient/${patientId}` } }, { actor: { reference: 'Practitioner/7' } }],
        ...changed,
      }),
    aCall: async ({ workflowType, patientId }) => {
      const { callId, pointer } = await aCall(app, { workflowType, patientId, clinicId });
      return {
        callId,
        pointer,
        ask: (tool, args = {}) => app.tool(tool.includes('/') ? tool : `emr-tools/${tool}`, pointer, args),
        verify: async () => {
          const by = { id: newId(), tool: 'verify_patient' as const };
          const told = { clinicId, callId, patientId, stated: BIRTH_DATE, birthDateThere: BIRTH_DATE };
          await app.stores.verifications.check({ ...by, ...told });
        },
        tasks: () => tasksOf(app, { callId }),
      };
    },
    close: () => ehr.close(),
  };
}
