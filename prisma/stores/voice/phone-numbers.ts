import { newId } from '@clinic/shared/crypto';
import { AppError } from '@clinic/shared/errors';
import { bound } from '../../bound';
import type { Database } from '../../client';
import { type Sql, sqlState } from '../../sql';
import { type Actor, audit } from '../operations/audit';

/** A number of the clinic that patients can call, and what the voice platform calls it. */
export interface ClinicNumber {
  id: string;
  number: string;
  platformId: string | null;
  assistantId: string | null;
  /**
   * Whether the operator has confirmed that number and platform id are this clinic's. Before that no call over the
   * operator's account is taken on it or placed from it: anybody can enter any number. A demo needs no confirmation.
   */
  isConfirmed: boolean;
}

/** A line as it is entered. */
export type EnteredNumber = Pick<ClinicNumber, 'number' | 'platformId' | 'assistantId'>;

export const createPhoneNumberStores = (database: Database) => bound(database, { list, replace, unconfirmed, assign });

const list = ({ sql }: Database, clinicId: string): Promise<ClinicNumber[]> => sql<ClinicNumber>`
  select n.id, n.number, n.platform_id as "platformId", n.assistant_id as "assistantId",
    c.is_demo or n.confirmed_at is not null as "isConfirmed"
  from phone_numbers n join clinics c on c.id = n.clinic_id where n.clinic_id = ${clinicId} order by n.number`;

/**
 * Makes these the clinic's numbers. One whose number or platform id is new waits for the operator, and keeps no other clinic
 * from entering it. Throws `conflict` for one that is confirmed for another clinic.
 */
async function replace(
  database: Database,
  clinicId: string,
  numbers: EnteredNumber[],
  by?: Actor,
): Promise<ClinicNumber[]> {
  const { transaction } = database;
  await transaction(async (tx) => {
    const before = await tx<{ number: string; platformId: string | null; confirmedAt: Date | null }>`
      select number, platform_id as "platformId", confirmed_at as "confirmedAt"
      from phone_numbers where clinic_id = ${clinicId} for update`;
    const kept = numbers.map(({ number }) => number);
    await refuseHeld(tx, clinicId, numbers);
    await tx`delete from phone_numbers where clinic_id = ${clinicId} and not number = any (${kept}::text[])`;
    // Two numbers may swap their platform ids.
    await tx`update phone_numbers set platform_id = null where clinic_id = ${clinicId}`;
    for (const { number, platformId, assistantId } of numbers) {
      const known = before.find((line) => line.number === number);
      // What was confirmed is the pair; a number alone was confirmed with it.
      const isSame = known?.platformId === platformId || platformId === null;
      const confirmedAt = isSame ? (known?.confirmedAt ?? null) : null;
      await tx`
        insert into phone_numbers (id, clinic_id, number, platform_id, assistant_id, confirmed_at)
        values (${newId()}, ${clinicId}, ${number}, ${platformId}, ${assistantId}, ${confirmedAt})
        on conflict (clinic_id, number) do update set platform_id = excluded.platform_id,
          assistant_id = excluded.assistant_id, confirmed_at = excluded.confirmed_at`;
    }
    await audit(tx, by, { clinicId, action: 'phone-numbers.change', detail: { count: numbers.length } });
  }).catch((error: unknown) => {
    throw sqlState(error) === '23505' ? inUse() : error;
  });
  return list(database, clinicId);
}

/** Another clinic holds a line once the operator has confirmed it; demos, of which nobody is called, hold theirs among each other. */
async function refuseHeld(tx: Sql, clinicId: string, numbers: EnteredNumber[]): Promise<void> {
  const [ids, platformIds] = [numbers.map(({ number }) => number), numbers.map(({ platformId }) => platformId)];
  const [held] = await tx`
    select 1 from phone_numbers n join clinics owner on owner.id = n.clinic_id join clinics c on c.id = ${clinicId}
    where n.clinic_id <> c.id and (n.number = any (${ids}::text[]) or n.platform_id = any (${platformIds}::text[]))
      and (n.confirmed_at is not null or (owner.is_demo and c.is_demo)) limit 1`;
  if (held) throw inUse();
}

/** Lines that wait for the operator, of all clinics, the longest first, at most a thousand. */
const unconfirmed = ({
  sql,
}: Database): Promise<{ clinicId: string; clinicName: string; number: string; platformId: string | null }[]> => sql<{
  clinicId: string;
  clinicName: string;
  number: string;
  platformId: string | null;
}>`
  select c.id as "clinicId", c.name as "clinicName", n.number, n.platform_id as "platformId"
  from phone_numbers n join clinics c on c.id = n.clinic_id
  where n.confirmed_at is null and not c.is_demo order by n.created_at limit 1000`;

/** The operator says whose the line is: it is that clinic's from now on, and nobody else's. */
const assign = (
  { transaction }: Database,
  { clinicId, number, platformId }: { clinicId: string; number: string; platformId: string | null },
  by: Actor,
): Promise<void> =>
  transaction(async (tx) => {
    const lost = await tx<{ clinicId: string }>`
      delete from phone_numbers where clinic_id <> ${clinicId} and (number = ${number} or platform_id = ${platformId})
      returning clinic_id as "clinicId"`;
    await tx`
      update phone_numbers set platform_id = null, confirmed_at = null
      where clinic_id = ${clinicId} and platform_id = ${platformId} and number <> ${number}`;
    await tx`
      insert into phone_numbers (id, clinic_id, number, platform_id, confirmed_at)
      values (${newId()}, ${clinicId}, ${number}, ${platformId}, now())
      on conflict (clinic_id, number) do update set platform_id = coalesce(excluded.platform_id, phone_numbers.platform_id),
        confirmed_at = now()`;
    await audit(tx, by, { clinicId, action: 'phone-numbers.assign' });
    for (const owner of lost) await audit(tx, by, { clinicId: owner.clinicId, action: 'phone-numbers.take-away' });
  });

const inUse = () => new AppError('conflict', 'A number or its platformId is in use already');
