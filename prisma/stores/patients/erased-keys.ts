import type { KeyRing } from '@clinic/shared/config';
import { keyedDigests } from '@clinic/shared/crypto';
import type { OptOutScope } from '@clinic/shared/domain/outreach/opt-out';
import { bound } from '../../bound';
import type { Sql } from '../../sql';

/** How what an erasure has removed is recognised when it comes again: by keyed hashes, under any key of the ring. */
export const createErasedKeys = (secretKeys: KeyRing) => bound(contextOf(secretKeys), { ofSession, ofEvent, ofOptOut });

export type ErasedKeys = ReturnType<typeof createErasedKeys>;

function contextOf(secretKeys: KeyRing) {
  const digests = (...parts: string[]) => keyedDigests(secretKeys, 'tombstones', parts);
  return { digests };
}

type Context = ReturnType<typeof contextOf>;

/** Of what a run was unique by. */
const ofSession = ({ digests }: Context, clinicId: string, workflowType: string, sessionId: string): string[] =>
  digests(clinicId, 'session', workflowType, sessionId);

/** Of what an inbound event was unique by. */
const ofEvent = ({ digests }: Context, clinicId: string, event: string, dedupeKey: string): string[] =>
  digests(clinicId, 'event', event, dedupeKey);

/** Of a phone that opted out. */
const ofOptOut = ({ digests }: Context, clinicId: string, phone: string): string[] =>
  digests(clinicId, 'opt-out', phone);

/** What an erased person had said about calls to a phone; null where nobody had said anything. */
export async function erasedOptOut(
  sql: Sql,
  erasedKeys: ErasedKeys,
  { clinicId, phone }: { clinicId: string; phone: string | null },
): Promise<OptOutScope | null> {
  if (phone === null) return null;
  return (await erasedOptOuts(sql, erasedKeys, { clinicId, phones: [phone] })).get(phone) ?? null;
}

/** The same for many phones: those that somebody had spoken of. */
export async function erasedOptOuts(
  sql: Sql,
  erasedKeys: ErasedKeys,
  { clinicId, phones }: { clinicId: string; phones: string[] },
): Promise<ReadonlyMap<string, OptOutScope>> {
  const phoneOf = new Map(phones.flatMap((phone) => erasedKeys.ofOptOut(clinicId, phone).map((key) => [key, phone])));
  const stones = await sql<{ key: string; scope: string | null }>`
    select key, scope from tombstones
    where clinic_id = ${clinicId} and kind = 'opt-out' and key = any(${[...phoneOf.keys()]})`;
  const scopes = new Map<string, OptOutScope>();
  for (const { key, scope } of stones) {
    const phone = phoneOf.get(key) ?? '';
    const isNarrow = scope === 'recovery_and_reminders' && scopes.get(phone) !== 'all';
    scopes.set(phone, isNarrow ? 'recovery_and_reminders' : 'all');
  }
  return scopes;
}
