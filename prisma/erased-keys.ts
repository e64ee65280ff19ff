import type { KeyRing } from '@clinic/shared/config';
import { keyedDigests } from '@clinic/shared/crypto';
import type { OptOutScope } from '@clinic/shared/domain/opt-out';
import type { Sql } from './sql';

/** How what an erasure has removed is recognised when it comes again: by keyed hashes, under any key of the ring. */
export interface ErasedKeys {
  /** Of what a run was unique by. */
  ofSession(clinicId: string, workflowType: string, sessionId: string): string[];
  /** Of what an inbound event was unique by. */
  ofEvent(clinicId: string, event: string, dedupeKey: string): string[];
  /** Of a phone that opted out. */
  ofOptOut(clinicId: string, phone: string): string[];
}

export function createErasedKeys(secretKeys: KeyRing): ErasedKeys {
  const digests = (...parts: string[]) => keyedDigests(secretKeys, 'tombstones', parts);
  return {
    ofSession: (clinicId, workflowType, sessionId) => digests(clinicId, 'session', workflowType, sessionId),
    ofEvent: (clinicId, event, dedupeKey) => digests(clinicId, 'event', event, dedupeKey),
    ofOptOut: (clinicId, phone) => digests(clinicId, 'opt-out', phone),
  };
}

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
