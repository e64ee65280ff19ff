import type { TaskReason } from '@clinic/shared/domain/tasks/task';
import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { RecordProposal } from '../../generated/client';
import type { Sql } from '../../sql';
import { type Actor, audit } from '../operations/audit';
import { openTask } from '../tasks/tasks';

export type ProposalRecord = RecordProposal;

/** What a caller said, by the names of the patient's fields; what was not said is absent. */
export type Proposed = Record<string, unknown>;

interface CallOfPatient {
  clinicId: string;
  callId: string;
  patientId: string;
}

const reason: TaskReason = 'unverified_change';
const causeOf = ({ callId }: Pick<CallOfPatient, 'callId'>) => `${reason}:${callId}`;

export const createProposalStores = (database: Database) => bound(database, { ofPatient, decide });

/** Of a patient, newest first, at most a hundred. */
const ofPatient = ({ prisma }: Database, clinicId: string, patientId: string): Promise<ProposalRecord[]> =>
  prisma.recordProposal.findMany({ where: { clinicId, patientId }, orderBy: { createdAt: 'desc' }, take: 100 });

/**
 * Writes it over the record, or leaves the record as it is; its task is resolved either way. Null for an unknown one; one
 * that was decided before stays as it was decided.
 */
async function decide(
  { transaction, prisma }: Database,
  clinicId: string,
  id: string,
  decision: 'ACCEPTED' | 'DISMISSED',
  by: Actor,
): Promise<ProposalRecord | null> {
  await transaction(async (tx) => {
    const [found] = await tx<{ callId: string; patientId: string }>`
      select call_id as "callId", patient_id as "patientId" from record_proposals
      where clinic_id = ${clinicId} and id = ${id}`;
    if (!found) return;
    const about = { clinicId, ...found };
    const isDecided =
      decision === 'ACCEPTED' ? await apply(tx, about, by.actor) : await close(tx, about, 'DISMISSED', by.actor);
    if (!isDecided) return;
    const action = decision === 'ACCEPTED' ? 'proposal.accept' : 'proposal.dismiss';
    await audit(tx, by, { clinicId, action, subject: found.patientId, detail: { proposalId: id } });
  });
  return prisma.recordProposal.findFirst({ where: { clinicId, id } });
}

/** Keeps what was said beside what was said before in the call, and opens a task. Returns all of it. */
export async function propose(tx: Sql, about: CallOfPatient, given: Proposed): Promise<Proposed> {
  const { clinicId, callId, patientId } = about;
  await lock(tx, about);
  const [kept] = await tx<{ id: string; given: unknown }>`
    insert into record_proposals (id, clinic_id, patient_id, call_id, given)
    values (${newId()}, ${clinicId}, ${patientId}, ${callId}, jsonb_strip_nulls(${JSON.stringify(given)}::jsonb))
    on conflict (call_id, patient_id) do update set state = 'OPEN', decided_by = null, decided_at = null,
      given = case record_proposals.state when 'OPEN' then record_proposals.given else '{}'::jsonb end || excluded.given
    returning id, given`;
  if (!kept) throw new Error('a proposal that was written must be returned');
  const all = { ...(kept.given as Proposed) };
  await openTask(tx, { clinicId, reason, cause: causeOf(about), patientId, callId });
  // A call may say more after its first task; staff see what it came to.
  await tx`
    update staff_tasks set detail = ${JSON.stringify({ ...shown(all), proposalId: kept.id })}::jsonb, state = 'OPEN', resolved_at = null
    where clinic_id = ${clinicId} and cause = ${causeOf(about)}`;
  return all;
}

/** Writes what the caller of this call had said before the date of birth was right. */
export async function applyProposalOf(tx: Sql, about: CallOfPatient): Promise<void> {
  await lock(tx, about);
  await apply(tx, about, `call:${about.callId}`);
}

/** What stays with the record: objects of their own are too long for a task. */
function shown({ consent: _consent, insurance, selfPay, ...said }: Proposed): Proposed {
  return {
    ...said,
    ...(insurance !== undefined && { insurance: 'stated' }),
    ...(selfPay !== undefined && { selfPay: 'decided' }),
  };
}

/** One at a time of a call: what is said while it is being written over the record must not be lost. */
const lock = (tx: Sql, { callId }: CallOfPatient) =>
  tx`select pg_advisory_xact_lock(hashtextextended(${`proposals:${callId}`}, 0))`;

/** False when there is no open one. */
async function apply(tx: Sql, about: CallOfPatient, by: string): Promise<boolean> {
  const { clinicId, callId, patientId } = about;
  const isDecided = await close(tx, about, 'ACCEPTED', by);
  if (!isDecided) return false;
  await tx`
    update patients p set first_name = coalesce(g.given ->> 'firstName', first_name),
      last_name = coalesce(g.given ->> 'lastName', last_name), phone = coalesce(g.given ->> 'phone', phone),
      email = coalesce(g.given ->> 'email', email), address = coalesce(g.given ->> 'address', address),
      reason_for_visit = coalesce(g.given ->> 'reasonForVisit', reason_for_visit),
      preferred_location = coalesce(g.given ->> 'preferredLocation', preferred_location),
      medicare_status = coalesce(g.given ->> 'medicareStatus', medicare_status),
      health_plan_name = coalesce(g.given ->> 'healthPlanName', health_plan_name),
      referral_source = coalesce(g.given ->> 'referralSource', referral_source),
      comms_consent = coalesce((g.given ->> 'commsConsent')::boolean, comms_consent),
      consent = coalesce(g.given -> 'consent', consent), insurance = coalesce(g.given -> 'insurance', insurance),
      self_pay = coalesce(g.given -> 'selfPay', self_pay),
      -- Callers are verified by it: one that is on file stays.
      birth_date = coalesce(birth_date, g.given ->> 'birthDate'), updated_at = now()
    from record_proposals g
    where p.clinic_id = ${clinicId} and p.id = ${patientId} and g.clinic_id = p.clinic_id and g.patient_id = p.id
      and g.call_id = ${callId}`;
  return true;
}

async function close(
  tx: Sql,
  { clinicId, callId, patientId }: CallOfPatient,
  state: 'ACCEPTED' | 'DISMISSED',
  by: string,
): Promise<boolean> {
  const [closed] = await tx`
    with task as (
      update staff_tasks set state = 'RESOLVED', resolved_at = coalesce(resolved_at, now())
      where clinic_id = ${clinicId} and cause = ${causeOf({ callId })}
    )
    update record_proposals set state = ${state}, decided_by = ${by}, decided_at = now()
    where clinic_id = ${clinicId} and call_id = ${callId} and patient_id = ${patientId} and state = 'OPEN'
    returning id`;
  return closed !== undefined;
}
