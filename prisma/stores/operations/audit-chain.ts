import { createHmac } from 'node:crypto';
import type { KeyRing } from '@clinic/shared/config';
import { newestKey } from '@clinic/shared/crypto';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';

/** What is wrong at a place of a clinic's chain. */
export interface AuditFinding {
  clinicId: string;
  /** Null for an entry that is in no chain. */
  position: number | null;
  /** Null for a place that is missing itself. */
  entryId: string | null;
  fault: AuditFault;
}

/**
 * - `changed`: the entry, its hash or one before it is not what was sealed.
 * - `removed`: the entry or its place is gone.
 * - `inserted`: an entry that was not queued for its place, or was written long after the time that it gives.
 * - `unsealed`: an entry that has waited for its place for more than ten minutes: no worker seals.
 * - `unknown_key`: the key that it was sealed with is not in the ring.
 */
export type AuditFault = 'changed' | 'removed' | 'inserted' | 'unsealed' | 'unknown_key';

/** The last place of a chain. Kept elsewhere, it shows that the end of the chain was cut off. */
export interface AuditHead {
  clinicId: string;
  position: number;
  hash: string;
}

const CLINICS_AT_ONCE = 100;
const READ_AT_ONCE = 2_000;
const MAX_FINDINGS = 1_000;
const TAKEN_AT_ONCE = 1_000;
/** Entries come to their places by their time, as long as no transaction takes longer than this. */
const LATE_MS = 10 * 60_000;
const BEGINNING = '';

export const createAuditChainStores = (database: Database, ring: KeyRing) =>
  bound(contextOf(database, ring), { seal, verify });

function contextOf({ sql, transaction }: Database, ring: KeyRing) {
  const keys = new Map(ring.map(({ id, key }) => [id, createHmac('sha256', key).update('audit').digest()]));

  const sealClinic = (clinicId: string, limit: number) =>
    transaction(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${`audit:${clinicId}`}, 0))`;
      const [last] = await tx<{ position: number; hash: string }>`
        select position::float8 as position, hash from audit_links
        where clinic_id = ${clinicId} order by audit_links.position desc limit 1`;
      const entries = await tx<SealedEntry>`
        select e.id, e.clinic_id as "clinicId", e.actor, e.action, e.subject, e.detail::text as detail,
          e.request_id as "requestId", e.address, e.at, e.is_read as "isRead", e.route, e.subjects
        from audit_unsealed u join audit_entries e on e.id = u.entry_id
        where u.clinic_id = ${clinicId} order by u.at, u.entry_id limit ${limit}`;
      const keyId = newestKey(ring).id;
      let { position, hash } = last ?? { position: 0, hash: BEGINNING };
      const links = entries.map((entry) => {
        position += 1;
        hash = hashOf(keys.get(keyId), hash, position, entry);
        return { position, entryId: entry.id, hash };
      });
      if (links.length > 0) await write(tx, { clinicId, keyId, links });
      return { sealed: links.length, head: { clinicId, position, hash } };
    });

  /** Reads on from a place; the callback sees each link with its entry. */
  const walk = async (clinicId: string, see: (link: ReadLink) => void) => {
    for (let after = 0; ;) {
      const links = await sql<ReadLink>`
        select l.position::float8 as position, l.entry_id as "entryId", l.key_id as "keyId", l.hash, l.clinic_id as "clinicId",
          e.id, e.actor, e.action, e.subject, e.detail::text as detail, e.request_id as "requestId", e.address, e.at,
          e.is_read as "isRead", e.route, e.subjects
        from audit_links l left join audit_entries e on e.id = l.entry_id and e.clinic_id = l.clinic_id
        where l.clinic_id = ${clinicId} and l.position > ${after}::bigint order by l.position limit ${READ_AT_ONCE}`;
      links.forEach(see);
      const last = links.at(-1);
      if (!last || links.length < READ_AT_ONCE) return;
      after = last.position;
    }
  };

  const verifyClinic = async (clinicId: string) => {
    const findings: AuditFinding[] = [];
    let checked = 0;
    let before = { position: 0, hash: BEGINNING, at: 0 };
    await walk(clinicId, ({ entryId, keyId, position, hash, ...row }) => {
      checked += 1;
      const find = (fault: AuditFault) => findings.push({ clinicId, position, entryId, fault });
      for (let gap = before.position + 1; gap < position && findings.length < MAX_FINDINGS; gap += 1) {
        findings.push({ clinicId, position: gap, entryId: null, fault: 'removed' });
      }
      const { id, actor, action, at, detail, isRead, subjects } = row;
      const isWhole = actor !== null && action !== null && at !== null && detail !== null;
      const isThere = id !== null && isWhole && isRead !== null && subjects !== null;
      if (!isThere) find('removed');
      else if (!keys.has(keyId)) find('unknown_key');
      else {
        const entry = { ...row, id, actor, action, at, detail, isRead, subjects };
        if (hashOf(keys.get(keyId), before.hash, position, entry) !== hash) find('changed');
        else if (at.getTime() < before.at - LATE_MS) find('inserted');
      }
      before = { position, hash, at: Math.max(before.at, at?.getTime() ?? 0) };
    });
    return { checked, findings, head: { clinicId, position: before.position, hash: before.hash } };
  };

  /** What requests told becomes entries: all of it before anything is sealed, for entries come to their places by their time. */
  const takeRequests = async () => {
    for (;;) {
      const [moved] = await sql<{ taken: number }>`select coalesce(take_audit_requests(${TAKEN_AT_ONCE}), 0) as taken`;
      if (!moved || moved.taken < TAKEN_AT_ONCE) return;
    }
  };
  return { sql, sealClinic, verifyClinic, takeRequests };
}

type Context = ReturnType<typeof contextOf>;

/** Makes entries of what requests told, and gives waiting entries their places, so many of a clinic at most. Returns the new heads, and whether more wait. */
async function seal(
  { takeRequests, sql, sealClinic }: Context,
  limit: number,
): Promise<{ sealed: number; heads: AuditHead[]; isFull: boolean }> {
  await takeRequests();
  const waiting = await sql<{ clinicId: string }>`
    select c.id as "clinicId" from clinics c
    where exists (select from audit_unsealed u where u.clinic_id = c.id) order by random() limit ${CLINICS_AT_ONCE}`;
  const done = [];
  for (const { clinicId } of waiting) done.push(await sealClinic(clinicId, limit));
  const isFull = waiting.length === CLINICS_AT_ONCE || done.some(({ sealed }) => sealed === limit);
  const heads = done.filter(({ sealed }) => sealed > 0).map(({ head }) => head);
  return { sealed: done.reduce((sum, { sealed }) => sum + sealed, 0), heads, isFull };
}

/** Reads every chain from its beginning and changes nothing. At most a thousand findings. */
async function verify({
  sql,
  verifyClinic,
}: Context): Promise<{ checked: number; heads: AuditHead[]; findings: AuditFinding[] }> {
  const clinics = await sql<{ clinicId: string }>`
    select distinct clinic_id as "clinicId" from audit_links order by clinic_id`;
  const results = [];
  for (const { clinicId } of clinics) results.push(await verifyClinic(clinicId));
  const loose = await sql<{ clinicId: string; entryId: string; isQueued: boolean }>`
    select e.clinic_id as "clinicId", e.id as "entryId", u.entry_id is not null as "isQueued"
    from audit_entries e left join audit_links l on l.entry_id = e.id left join audit_unsealed u on u.entry_id = e.id
    where l.entry_id is null and (u.entry_id is null or e.at < now() - interval '10 minutes')
    limit ${MAX_FINDINGS}`;
  const gone = await sql<{ clinicId: string; entryId: string }>`
    select u.clinic_id as "clinicId", u.entry_id as "entryId"
    from audit_unsealed u left join audit_entries e on e.id = u.entry_id where e.id is null limit ${MAX_FINDINGS}`;
  const waiting = await sql<{ clinicId: string; entryId: string }>`
    select clinic_id as "clinicId", id as "entryId" from audit_requests
    where at < now() - interval '10 minutes' limit ${MAX_FINDINGS}`;
  const ofNoPlace: AuditFinding[] = [
    ...loose.map(({ isQueued, ...entry }) => ({ ...entry, position: null, fault: faultOf(isQueued) })),
    ...waiting.map((entry) => ({ ...entry, position: null, fault: 'unsealed' as const })),
    ...gone.map((entry) => ({ ...entry, position: null, fault: 'removed' as const })),
  ];
  return {
    checked: results.reduce((sum, { checked }) => sum + checked, 0),
    heads: results.map(({ head }) => head),
    findings: [...results.flatMap(({ findings }) => findings), ...ofNoPlace].slice(0, MAX_FINDINGS),
  };
}

const faultOf = (isQueued: boolean): AuditFault => (isQueued ? 'unsealed' : 'inserted');

/** An entry as its hash covers it. */
interface SealedEntry {
  id: string;
  clinicId: string;
  actor: string;
  action: string;
  subject: string | null;
  /** As PostgreSQL writes JSON, which is the same for the same value. */
  detail: string;
  requestId: string | null;
  address: string | null;
  at: Date;
  isRead: boolean;
  route: string | null;
  subjects: string[];
}

/** A place of the chain, with its entry where that is still there. */
interface ReadLink {
  position: number;
  entryId: string;
  keyId: string;
  hash: string;
  clinicId: string;
  id: string | null;
  actor: string | null;
  action: string | null;
  subject: string | null;
  detail: string | null;
  requestId: string | null;
  address: string | null;
  at: Date | null;
  isRead: boolean | null;
  route: string | null;
  subjects: string[] | null;
}

/** Keyed, so that anyone who can write to the database alone cannot make a chain that holds. */
function hashOf(key: Buffer | undefined, before: string, position: number, entry: SealedEntry): string {
  if (!key) throw new Error('the key of the audit is not in the key ring');
  const { id, clinicId, actor, action, subject, detail, requestId, address, at, isRead, route, subjects } = entry;
  const sealed = [before, position, id, clinicId, actor, action, subject, detail, requestId, address, at.toISOString()];
  // Entries of before had nothing of this: their hashes are made as they were.
  const ofRequest = isRead || route !== null || subjects.length > 0 ? [isRead, route, subjects] : [];
  return createHmac('sha256', key)
    .update(JSON.stringify([...sealed, ...ofRequest]))
    .digest('base64url');
}

async function write(
  tx: Sql,
  {
    clinicId,
    keyId,
    links,
  }: { clinicId: string; keyId: string; links: { position: number; entryId: string; hash: string }[] },
): Promise<void> {
  await tx`select seal_audit(${clinicId}, ${keyId}, ${JSON.stringify(links)}::json)`;
}
