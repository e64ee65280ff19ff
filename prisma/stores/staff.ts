import type { Database } from '../client';

/** A person who works for the clinic, as others see them. */
export interface StaffRecord {
  id: string;
  name: string;
  email: string;
  role: string;
}

export interface StaffStores {
  list(clinicId: string): Promise<StaffRecord[]>;
  /** Null when the clinic has no such account. */
  find(clinicId: string, id: string): Promise<StaffRecord | null>;
}

export function createStaffStores({ sql }: Database): StaffStores {
  return {
    list: (clinicId) => sql<StaffRecord>`
      select id, name, email, role from users where clinic_id = ${clinicId} order by name, id limit 500`,

    async find(clinicId, id) {
      const [found] = await sql<StaffRecord>`
        select id, name, email, role from users where clinic_id = ${clinicId} and id = ${id}`;
      return found ?? null;
    },
  };
}
