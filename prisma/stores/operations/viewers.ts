import { newId } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';

/** Anyone who has not said for so long that they look at a record does so no more. */
const SEEN_SECONDS = 60;
const MAX_SHOWN = 20;

/** Who looks at which record of a clinic: a session. */
export interface Looking {
  clinicId: string;
  sessionId: string;
  recordId: string;
}

/** Somebody who looks at a record, or edits it. */
export interface ViewerRecord {
  accountId: string;
  name: string;
  isEditing: boolean;
  isEmergency: boolean;
}

/** What can be looked at together; of a task its reason, which says who may see it. */
export type ViewedRecord =
  | { kind: 'patient' | 'case' | 'appointment'; reason: null }
  | { kind: 'task'; reason: string };

/** Who else has a record open. */
export const createViewerStores = (database: Database) =>
  bound(database, { recordOf, note, leave, others, forgetLeft });

/** What an id of the clinic's names; null for anything that nobody looks at together. */
async function recordOf({ sql }: Database, clinicId: string, id: string): Promise<ViewedRecord | null> {
  const [found] = await sql<ViewedRecord>`
    select 'patient' as kind, null as reason from patients where clinic_id = ${clinicId} and id = ${id}
    union all select 'task', reason from staff_tasks where clinic_id = ${clinicId} and id = ${id}
    union all select 'case', null from recovery_cases where clinic_id = ${clinicId} and id = ${id}
    union all select 'appointment', null from appointments where clinic_id = ${clinicId} and id = ${id}
    limit 1`;
  return found ?? null;
}

/** Somebody looks at it, or still does. Only who comes, begins to edit or no longer does is announced. */
async function note(
  { sql }: Database,
  { clinicId, sessionId, recordId }: Looking,
  { isEditing }: { isEditing: boolean },
): Promise<void> {
  await sql`
    with still as (
      update viewers set seen_at = now()
      where clinic_id = ${clinicId} and record_id = ${recordId} and session_id = ${sessionId} and is_editing = ${isEditing}
        and seen_at > now() - make_interval(secs => ${SEEN_SECONDS})
      returning id
    )
    insert into viewers as v (id, clinic_id, session_id, record_id, is_editing)
    select ${newId()}, ${clinicId}, ${sessionId}, ${recordId}, ${isEditing} where not exists (select from still)
    on conflict (clinic_id, record_id, session_id) do update set is_editing = excluded.is_editing, seen_at = now()`;
}

async function leave({ sql }: Database, { clinicId, sessionId, recordId }: Looking): Promise<void> {
  await sql`
    delete from viewers where clinic_id = ${clinicId} and session_id = ${sessionId} and record_id = ${recordId}`;
}

/** Each person once, whatever they have open. */
const others = (
  { sql }: Database,
  { clinicId, accountId, recordId }: { clinicId: string; accountId: string; recordId: string },
): Promise<ViewerRecord[]> => sql<ViewerRecord>`
  select u.id as "accountId", u.name, bool_or(v.is_editing) as "isEditing", u.ends_at is not null as "isEmergency"
  from viewers v join sessions s on s.id = v.session_id join users u on u.id = s.user_id
  where v.clinic_id = ${clinicId} and v.record_id = ${recordId} and u.id <> ${accountId}
    and v.seen_at > now() - make_interval(secs => ${SEEN_SECONDS})
  group by u.id order by min(v.since), u.id limit ${MAX_SHOWN}`;

/** Removes those who went without a word, of every clinic. */
async function forgetLeft({ sql }: Database): Promise<void> {
  await sql`delete from viewers where seen_at <= now() - make_interval(secs => ${SEEN_SECONDS})`;
}
