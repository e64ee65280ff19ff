import { randomBytes } from 'node:crypto';
import type { Database } from '@clinic/prisma/client';
import { createStores, type Stores } from '@clinic/prisma/stores';
import type { CallIntent } from '@clinic/prisma/stores/outreach/reserved-calls';
import { defaultOutboundEvents } from '@clinic/shared/contracts/events/outbound-events';
import { newId } from '@clinic/shared/crypto';
import { defaultCallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { weekdays } from '@clinic/shared/domain/calendar/weekly-hours';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import { awaitedDatabase, awaitedStores } from './awaited';
import { aPhone, aSession } from './builders';
import { freshDatabase } from './database';

export interface OpenedRun {
  clinicId: string;
  workflowId: string;
  workflowType: WorkflowType;
  patientId: string;
  phone: string;
  caseId: string | null;
  sessionId: string;
}

/** The stores over a database of their own, with two clinics and no service. */
export interface Records {
  database: Database;
  stores: Stores;
  /** What the stores encrypt and hash by. */
  secretKey: Buffer<ArrayBuffer>;
  clinicId: string;
  otherClinicId: string;
  /** Another one, whose events go to https://clinic.example/events. */
  aClinic(name?: string): Promise<string>;
  aPatient(about?: { firstName?: string; lastName?: string; phone?: string; birthDate?: string }): Promise<string>;
  aRun(about?: {
    clinicId?: string;
    phone?: string;
    workflowType?: Exclude<WorkflowType, 'abandonment-recovery'>;
  }): Promise<OpenedRun>;
  /** A few at a time: who waits for long to be stored is refused. */
  manyRuns(count: number): Promise<OpenedRun[]>;
  aCase(about?: { clinicId?: string; sessionId?: string }): Promise<OpenedRun>;
  /** What a workflow asks for when it wants to ring: the first dial of the first attempt, unless told otherwise. */
  anIntent(run: OpenedRun, about?: Partial<CallIntent>): CallIntent;
  /** An intent that is stored. */
  aReservedCall(run: OpenedRun, about?: Partial<CallIntent>): Promise<string>;
  /** A call that the platform has taken, and its id there. */
  aPlacedCall(run: OpenedRun, about?: Partial<CallIntent>): Promise<{ callId: string; platformCallId: string }>;
  /** Takes back the end of a run with all that it wrote, as a restore from a backup of before does. */
  takeBackEnd(run: OpenedRun): Promise<void>;
  close(): Promise<void>;
}

const allWeek = Object.fromEntries(weekdays.map((day) => [day, [{ opens: '09:00', closes: '17:00' }]]));
const always = Object.fromEntries(weekdays.map((day) => [day, [{ opens: '00:00', closes: '24:00' }]]));

export async function openRecords(): Promise<Records> {
  const database = await freshDatabase();
  const secretKey = Buffer.from(randomBytes(32));
  const stores = awaitedStores(createStores(awaitedDatabase(database), [{ id: 's1', key: secretKey }]));
  const aClinic = async (name = 'Another clinic') => {
    const clinicId = await stores.clinics.create({
      name,
      timezone: 'UTC',
      isDemo: false,
      voiceProvider: 'simulator',
      // Tests run at any hour.
      policy: { ...defaultCallingPolicy, callingHours: always },
    });
    await stores.providers.replace(clinicId, [
      { name: 'Dr.Vega', displayName: 'Dr. Luz Vega', workingHours: allWeek, visitTypes: [] },
    ]);
    const endpoint = { url: 'https://clinic.example/events', isEnabled: true, events: defaultOutboundEvents };
    await stores.clinics.setOutboundEndpoint(clinicId, endpoint);
    return clinicId;
  };
  const clinicId = await aClinic('Clinic');
  const otherClinicId = await aClinic('Other clinic');

  const person = (phone: string) => ({ firstName: 'Ann', lastName: 'Lee', phone });
  const records: Records = {
    database,
    stores,
    secretKey,
    clinicId,
    otherClinicId,
    aClinic,
    async aPatient({ firstName = 'Ann', lastName = 'Lee', phone = aPhone(), birthDate } = {}) {
      const id = newId();
      await database.prisma.patient.create({ data: { id, clinicId, firstName, lastName, phone, birthDate } });
      return id;
    },
    async aRun({ clinicId: owner = clinicId, phone = aPhone(), workflowType = 'care-gap-follow-up' } = {}) {
      const sessionId = aSession();
      const opened = await stores.runs.openRun({ clinicId: owner, sessionId, workflowType, patient: person(phone) });
      const { workflowId, patientId } = opened;
      return { clinicId: owner, workflowId, workflowType, patientId: known(patientId), phone, caseId: null, sessionId };
    },
    async manyRuns(count) {
      const runs: OpenedRun[] = [];
      while (runs.length < count) {
        const some = Array.from({ length: Math.min(20, count - runs.length) }, () => records.aRun());
        runs.push(...(await Promise.all(some)));
      }
      return runs;
    },
    async aCase({ clinicId: owner = clinicId, sessionId = aSession() } = {}) {
      const phone = aPhone();
      const opened = await stores.runs.openRecovery({ clinicId: owner, sessionId, patient: person(phone), form: {} });
      const { workflowId, patientId, caseId } = opened;
      const workflowType = 'abandonment-recovery';
      return { clinicId: owner, workflowId, workflowType, patientId: known(patientId), phone, caseId, sessionId };
    },
    anIntent: ({ sessionId: _session, ...run }, about = {}) => ({
      ...run,
      attempt: 1,
      dial: 1,
      dueAt: new Date().toISOString(),
      priority: 2,
      maxConcurrentCalls: 100,
      callsPerPatientPerDay: null,
      callsPerPatientPerWeek: null,
      notAfter: null,
      appointmentStartsAt: null,
      inputs: decidedBy(),
      ...about,
    }),
    async aReservedCall(run, about) {
      const reservation = await stores.calls.reserve(records.anIntent(run, about));
      if (reservation.kind !== 'reserved') throw new Error(`the line was ${reservation.kind}`);
      return reservation.callId;
    },
    async aPlacedCall(run, about) {
      const callId = await records.aReservedCall(run, about);
      await stores.calls.beginRequest({ clinicId: run.clinicId, callId, requests: 0 });
      const platformCallId = `platform-${callId}`;
      await stores.calls.placed({ clinicId: run.clinicId, callId, platformCallId });
      return { callId, platformCallId };
    },
    takeBackEnd: ({ workflowId }) =>
      database.transaction(async (tx) => {
        await tx`alter table recovery_cases disable trigger recovery_case_stays_ended`;
        await tx`
          with run as (
            update workflow_runs set status = 'started', outcome = null, completed_at = null, cancelled_by = null
            where id = ${workflowId} returning id
          ), opened as (
            update recovery_cases c set status = 'PENDING', ended_at = null, resolution = null, decision = null
            from run where c.workflow_id = run.id returning c.id
          ), task as (
            delete from staff_tasks t using run where t.workflow_id = run.id
          )
          delete from outbound_events e using run left join opened on true
          where e.subject in (run.id, opened.id) and e.event <> 'recovery_case.created'`;
        await tx`alter table recovery_cases enable trigger recovery_case_stays_ended`;
      }),
    close: () => database.close(),
  };
  return records;
}

/** What a first call to anybody, at any hour, is decided by. */
function decidedBy(): CallIntent['inputs'] {
  const now = new Date().toISOString();
  return {
    hasPhone: true,
    isOptedOut: false,
    attemptsMade: 0,
    policy: {
      ...defaultCallingPolicy,
      firstCallDelaySeconds: 0,
      callingHours: Object.fromEntries(weekdays.map((day) => [day, [{ opens: '00:00', closes: '24:00' }]])),
    },
    clinicZone: 'America/Denver',
    patientZones: [],
    pause: null,
    now,
    openedAt: now,
    lastAttemptEndedAt: null,
    clinicLimitUntil: null,
  };
}

function known(patientId: string | null): string {
  if (patientId === null) throw new Error('a run that is new has a patient');
  return patientId;
}
