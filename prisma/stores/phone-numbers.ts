import { newId } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import type { Database } from '../client';
import { sqlState } from '../sql';
import { type Actor, audit } from './audit';

/** A number of the clinic that patients can call, and what the voice platform calls it. */
export interface ClinicNumber {
  id: string;
  number: string;
  platformId: string | null;
  assistantId: string | null;
}

export interface PhoneNumberStores {
  list(clinicId: string): Promise<ClinicNumber[]>;
  /** Makes these the clinic's numbers. Throws `conflict` for one that is in use elsewhere. */
  replace(clinicId: string, numbers: Omit<ClinicNumber, 'id'>[], by?: Actor): Promise<ClinicNumber[]>;
}

export function createPhoneNumberStores({ sql, transaction }: Database): PhoneNumberStores {
  const list: PhoneNumberStores['list'] = (clinicId) => sql<ClinicNumber>`
    select id, number, platform_id as "platformId", assistant_id as "assistantId"
    from phone_numbers where clinic_id = ${clinicId} order by number`;

  return {
    list,
    async replace(clinicId, numbers, by) {
      await transaction(async (tx) => {
        const kept = numbers.map(({ number }) => number);
        await tx`delete from phone_numbers where clinic_id = ${clinicId} and not number = any (${kept}::text[])`;
        // Two numbers may swap their platform ids.
        await tx`update phone_numbers set platform_id = null where clinic_id = ${clinicId}`;
        for (const { number, platformId, assistantId } of numbers) {
          const [written] = await tx`
            insert into phone_numbers (id, clinic_id, number, platform_id, assistant_id)
            values (${newId()}, ${clinicId}, ${number}, ${platformId}, ${assistantId})
            on conflict (number) do update set platform_id = excluded.platform_id, assistant_id = excluded.assistant_id
              where phone_numbers.clinic_id = ${clinicId}
            returning id`;
          if (!written) throw inUse();
        }
        await audit(tx, by, { clinicId, action: 'phone-numbers.change', detail: { count: numbers.length } });
      }).catch((error: unknown) => {
        throw sqlState(error) === '23505' ? inUse() : error;
      });
      return list(clinicId);
    },
  };
}

const inUse = () => new AppError('conflict', 'A number or its platformId is in use already');
