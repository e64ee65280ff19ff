import { randomUUID } from 'node:crypto';
import type { Database } from '@clinic/prisma/client';
import { newId } from '@clinic/shared/crypto';
import type { WorkingHours } from '@clinic/shared/domain/calendar/slots';
import type { WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';
import type { App } from './app';
import { aPhone } from './builders';

export interface PatientGiven {
  firstName?: string;
  lastName?: string;
  phone?: string | null;
  birthDate?: string | null;
  isPlaceholder?: boolean;
  clinicId?: string;
}

/** A patient of the first clinic, unless told otherwise. */
export async function aPatient(app: App, given: PatientGiven = {}): Promise<string> {
  const id = newId();
  const { firstName = 'Ann', lastName = 'Lee', phone = aPhone(), birthDate = null, isPlaceholder = false } = given;
  await app.database.prisma.patient.create({
    data: {
      id,
      clinicId: given.clinicId ?? app.clinic.clinicId,
      firstName,
      lastName,
      phone,
      birthDate,
      isPlaceholder,
    },
  });
  return id;
}

/** A patient who has said nothing of themselves yet. */
export const aPlaceholder = (app: App, phone: string | null = null) =>
  aPatient(app, { firstName: '', lastName: '', phone, isPlaceholder: true });

/** A call as the platform holds one, which is no test call: it may use what its workflow type has. Answers the pointer. */
export async function aCall(
  app: App,
  {
    workflowType,
    patientId,
    workflowId = null,
    phone = aPhone(),
    clinicId = app.clinic.clinicId,
  }: { workflowType: WorkflowType; patientId: string; workflowId?: string | null; phone?: string; clinicId?: string },
): Promise<{ callId: string; pointer: string }> {
  const [callId, pointer] = [newId(), `platform-${randomUUID()}`];
  await app.database.prisma.call.create({
    data: {
      id: callId,
      clinicId,
      patientId,
      workflowType,
      workflowId,
      phone,
      direction: 'outbound',
      state: 'IN_PROGRESS',
      platformCallId: pointer,
      requestedAt: new Date(),
    },
  });
  return { callId, pointer };
}

/** A clinic in a zone of its own, with one provider and a test call, without accounts or keys. */
export async function aClinicIn(
  app: App,
  timezone: string,
  workingHours: WorkingHours,
): Promise<{ clinicId: string; callId: string }> {
  const { policy } = await clinicDefaults(app);
  const clinicId = await app.stores.clinics.create({
    name: timezone,
    timezone,
    isDemo: false,
    voiceProvider: 'simulator',
    policy,
  });
  await app.database.prisma.clinic.update({ where: { id: clinicId }, data: { sandboxEnabled: true } });
  await app.stores.providers.replace(clinicId, [
    { name: 'Dr.Vega', displayName: 'Dr. Luz Vega', workingHours, visitTypes: [] },
  ]);
  const patientId = await aPatient(app, { clinicId });
  const callId = await app.stores.calls.openTestCall({
    clinicId,
    patientId,
    workflowType: null,
    workflowId: null,
    caseId: null,
  });
  return { clinicId, callId };
}

const clinicDefaults = async (app: App) => ({ policy: await app.stores.clinics.policy(app.clinic.clinicId) });

export async function setSandbox(app: App, isEnabled: boolean): Promise<void> {
  const path = '/abandonment-recovery/sandbox-emr/config';
  const { status, text } = await app.request('PUT', path, { body: { enabled: isEnabled }, bearer: await app.admin() });
  if (status !== 200) throw new Error(`the sandbox was not switched: ${text}`);
}

export const tasksOf = (app: App, where: { callId?: string; patientId?: string }) =>
  app.database.prisma.staffTask.findMany({ where, orderBy: { createdAt: 'asc' } });

export const patientOf = (app: App, id: string) => app.database.prisma.patient.findUniqueOrThrow({ where: { id } });

/** Who is in line in a clinic, first to last, and how many have a line or are called, in one look. */
export async function lineOf({ sql }: Database, { clinicId }: { clinicId: string }) {
  const [look] = await sql<{ live: number; granted: number; waiting: string[] }>`
    select (select count(*)::int from calls where clinic_id = ${clinicId} and state <> 'ENDED' and not is_test) as live,
      (select count(*)::int from line_tickets where clinic_id = ${clinicId} and granted_at is not null) as granted,
      coalesce((select array_agg(workflow_id order by priority, due_at, created_at, workflow_id) from line_tickets
        where clinic_id = ${clinicId} and granted_at is null), '{}') as waiting`;
  return look ?? { live: 0, granted: 0, waiting: [] };
}

/** Starts a validation run of a clinic; returns its id. */
export async function aValidationRun({ stores }: App, clinicId: string): Promise<string> {
  const started = await stores.validationRuns.start({
    clinicId,
    label: null,
    now: new Date(),
    endsAt: new Date(Date.now() + 60_000),
    by: { actor: 'operator' },
  });
  if (started.kind !== 'started') throw new Error(started.kind);
  return started.run.id;
}
