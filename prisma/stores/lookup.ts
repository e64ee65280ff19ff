import type { Database } from '../client';

export type RecordKind = 'case' | 'call' | 'patient' | 'delivery';

export interface LookupStores {
  /**
   * The record of a clinic that an id names: of a case, call, patient or delivery, of a workflow (its case, else its patient),
   * or of a call at the voice platform. Null for any other text.
   */
  find(clinicId: string, id: string): Promise<{ kind: RecordKind; id: string } | null>;
}

export function createLookupStores({ sql }: Database): LookupStores {
  return {
    async find(clinicId, id) {
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
        select 'patient', r.patient_id from workflow_runs r
        where r.clinic_id = ${clinicId} and r.id = ${id} and r.patient_id is not null
        limit 1`;
      return found ?? null;
    },
  };
}
