import { newId } from '@clinic/shared/crypto';
import type { CallState } from '@clinic/shared/domain/outreach/call-state';
import { readPhone } from '@clinic/shared/domain/patients/phone';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { FOREIGN_KEY, type Sql, sqlState } from '../../sql';
import { callerBy } from './callers';
import { openTask } from '../tasks/tasks';

/** Where a call came in, as the voice platform names it; any of them may be unknown. */
export interface DialledLine {
  platformNumberId: string | null;
  number: string | null;
  assistantId: string | null;
}

export interface LineOwner {
  clinicId: string;
  country: string;
  /** Who answers at the voice platform; null where the clinic has not said. */
  assistantId: string | null;
  clinicName: string;
  /** IANA. */
  clinicZone: string;
  /** The clinic has calls open with a sentence that says that they are automated. */
  disclosesAutomation: boolean;
  /** Nobody calls in for real: there is no platform to ask. */
  isSimulated: boolean;
}

export interface InboundCall {
  callId: string;
  workflowId: string | null;
}

export const createInboundCallStores = (database: Database) => bound(database, { ownerOf, open });

/**
 * Whose line it is: by the platform's id of the number, else the number, else the assistant. `clinicId`: the only one it
 * may be, as the platform has proved itself for it; otherwise a line counts once the operator has confirmed it. Null for a
 * number and an id of different clinics.
 */
async function ownerOf(
  { sql }: Database,
  { platformNumberId, number, assistantId }: DialledLine,
  only: string | null = null,
): Promise<LineOwner | null> {
  const lines = await sql<LineOwner & { rank: number; isHeld: boolean }>`
    select n.clinic_id as "clinicId", c.default_country as country, n.assistant_id as "assistantId",
      c.name as "clinicName", c.timezone as "clinicZone", coalesce(p.discloses_automation, true) as "disclosesAutomation",
      c.voice_provider = 'simulator' as "isSimulated", n.confirmed_at is not null as "isHeld",
      case when n.platform_id = ${platformNumberId} then 1 when n.number = ${number} then 2 else 3 end as rank
    from phone_numbers n join clinics c on c.id = n.clinic_id left join calling_policies p on p.clinic_id = c.id
    where (n.platform_id = ${platformNumberId} or n.number = ${number} or n.assistant_id = ${assistantId})
      and case when ${only}::text is null then c.is_demo or n.confirmed_at is not null else n.clinic_id = ${only} end
    order by rank`;
  // A demo may have entered a number that is somebody's.
  const held = lines.filter(({ isHeld, rank }) => isHeld && rank < 3);
  const found = held.length > 0 ? held : lines;
  const [first] = found;
  if (!first) return null;
  // Number and id are one line; an assistant may serve several clinics, and then it names none of them.
  const telling = first.rank < 3 ? found.filter(({ rank }) => rank < 3) : found;
  if (telling.some(({ clinicId }) => clinicId !== first.clinicId)) return null;
  const { rank: _rank, isHeld: _isHeld, ...owner } = first;
  return owner;
}

/**
 * Opens the call of somebody who rang the clinic, and the run that goes with it, once per platform call. The patient is
 * the only one with that phone; where several share it nobody is chosen: the caller is a placeholder, and staff get
 * the candidates.
 */
async function open({ transaction }: Database, inbound: Inbound): Promise<InboundCall> {
  const opened = () => transaction((tx) => openIn(tx, inbound));
  return opened().catch((error: unknown) => {
    // A patient who was erased in this very moment is not found when they are looked for again.
    if (sqlState(error) !== FOREIGN_KEY) throw error;
    return opened();
  });
}

interface Inbound {
  owner: Pick<LineOwner, 'clinicId' | 'country'>;
  platformCallId: string;
  /** As the platform wrote it; null for a withheld number. */
  callerNumber: string | null;
  state: Extract<CallState, 'RINGING' | 'IN_PROGRESS'>;
}

async function openIn(
  tx: Sql,
  { owner: { clinicId, country }, platformCallId, callerNumber, state }: Inbound,
): Promise<InboundCall> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${platformCallId}, 7))`;
  const [known] = await tx<InboundCall>`
    select id as "callId", workflow_id as "workflowId" from calls where platform_call_id = ${platformCallId}`;
  if (known) return known;

  const phone = callerNumber === null ? null : readPhone(callerNumber, country);
  const { patientId, isKnown, candidates } = await callerBy(tx, clinicId, phone);
  const call = { callId: newId(), workflowId: newId('new-patient-journey') };
  await tx`
    insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id, is_simulated)
    select ${call.workflowId}, id, 'new-patient-journey', ${call.callId}, ${patientId}, voice_provider = 'simulator'
    from clinics where id = ${clinicId}`;
  await tx`
    insert into calls (id, clinic_id, patient_id, workflow_type, workflow_id, direction, phone, state, platform_call_id,
      is_matched_by_number, started_at)
    values (${call.callId}, ${clinicId}, ${patientId}, 'new-patient-journey', ${call.workflowId}, 'inbound', ${phone}, ${state},
      ${platformCallId}, ${isKnown}, case when ${state === 'IN_PROGRESS'}::boolean then now() end)`;
  if (candidates.length > 0) await recordMatches(tx, { clinicId, patientId, callId: call.callId, candidates });
  return call;
}

async function recordMatches(
  tx: Sql,
  {
    clinicId,
    patientId,
    callId,
    candidates,
  }: { clinicId: string; patientId: string; callId: string; candidates: string[] },
): Promise<void> {
  await tx`
    insert into identity_matches (id, clinic_id, patient_id, call_id, matched_on)
    select gen_random_uuid()::text, ${clinicId}, id, ${callId}, array['phone'] from unnest(${candidates}::text[]) as id`;
  const detail = { matches: candidates.map((id) => ({ patientId: id, matchedOn: ['phone'] })) };
  await openTask(tx, {
    clinicId,
    reason: 'identity_match',
    cause: `identity_match:${callId}`,
    patientId,
    callId,
    detail,
  });
}
