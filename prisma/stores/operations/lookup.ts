import { bound } from '../../bound';
import type { Database } from '../../client';

export type RecordKind = 'case' | 'call' | 'patient' | 'delivery';

export const createLookupStores = (database: Database) => bound(contextOf(database), { find });

function contextOf({ sql }: Database) {
  const recordOf = async (clinicId: string, id: string) => {
    const [found] = await sql<{ kind: RecordKind; id: string }>`
      select 'case' as kind, c.id from recovery_cases c
      where c.clinic_id = ${clinicId} and (c.id = ${id} or c.workflow_id = ${id})
        union all
        select 'call', k.id from calls k where k.clinic_id = ${clinicId} and (k.id = ${id} or k.platform_call_id = ${id})
        union all
        select 'patient', p.id from patients p where p.clinic_id = ${clinicId} and p.id = ${id}
        union all
        select 'delivery', d.id from deliveries d where d.clinic_id = ${clinicId} and d.id = ${id}
        union all
        select 'delivery', d.id from deliveries d where d.clinic_id = ${clinicId} and d.event_id = ${id}
        union all
        select 'patient', r.patient_id from workflow_runs r
        where r.clinic_id = ${clinicId} and r.id = ${id} and r.patient_id is not null
        limit 1`;
    return found ?? null;
  };
  return { sql, recordOf };
}

type Context = ReturnType<typeof contextOf>;

/**
 * The record of a clinic that an id names: of a case, call, patient or delivery, of a workflow (its case, else its patient),
 * of a call at the voice platform, or of the request that changed it. Null for any other text.
 */
async function find(
  { recordOf, sql }: Context,
  clinicId: string,
  id: string,
): Promise<{ kind: RecordKind; id: string } | null> {
  const record = await recordOf(clinicId, id);
  if (record) return record;
  const [changed] = await sql<{ subject: string }>`
    select coalesce(subjects[1], subject, '') as subject from audit_entries
    where clinic_id = ${clinicId} and request_id = ${id} and not is_read order by at limit 1`;
  return changed ? recordOf(clinicId, changed.subject) : null;
}
