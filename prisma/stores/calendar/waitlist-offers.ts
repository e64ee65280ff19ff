import { newId } from '@clinic/shared/crypto';
import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { holdEnd, holdMinutes, isHeldAt } from '@clinic/shared/domain/calendar/holds';
import { isOptedOut, type OptOutScope } from '@clinic/shared/domain/outreach/opt-out';
import { slotEnd } from '@clinic/shared/domain/calendar/slots';
import { nextTurn, offerMinutes, type OfferStatus, type Waiting } from '@clinic/shared/domain/calendar/waitlist';
import { bound } from '../../bound';
import type { Database } from '../../client';
import type { Sql } from '../../sql';
import type { Agenda, Agendas } from './agendas';
import { refusalOf } from './open-times';
import { endHolds, lookInTheWay, MAX_LOOKS } from './held-times';
import { tell } from '../outreach/messages';

/** A time that is offered to somebody on the waitlist, as a live call sees it. */
export interface WaitlistOfferRecord {
  status: OfferStatus;
  appointmentId: string;
  providerName: string;
  providerDisplayName: string;
  visitType: string;
  startsAt: Date;
}

export type Acceptance =
  | { kind: 'booked'; offer: WaitlistOfferRecord }
  /** It was declined or lapsed, or the time has begun. */
  | { kind: 'over' }
  | { kind: 'unknown' };

/** A run that was opened, to be started. */
export interface OpenedOffer {
  clinicId: string;
  workflowId: string;
}

/** The note that a time of a clinic became free. */
export interface FreedTime {
  id: string;
  clinicId: string;
}

const TYPE = 'waitlist-offer';
/** Read at once when a turn is given; a list is rarely longer. */
const MAX_WAITING = 5_000;
const MAX_HOLDS = 500;
const LOOKED_AT_AGAIN = 20;

interface Context {
  database: Database;
  agendas: Agendas;
}

/** Freed times and those who are called about them. */
export const createWaitlistOfferStores = (database: Database, agendas: Agendas) =>
  bound(
    { database, agendas },
    { due, offer: makeOffer, endOverdue, endExpired, ofRun, prolong, accept, decline, postpone },
  );

/** Times that became free and have not been judged yet, and those whose moment has come, oldest first. */
const due = ({ database: { sql } }: Context, limit: number): Promise<FreedTime[]> => sql<FreedTime>`
  select id::text, clinic_id as "clinicId" from freed_times where look_at <= now() order by look_at, id limit ${limit}`;

/**
 * Offers a freed time to the person whose turn it is: holds it, opens the run that calls, and notes the offer, in one transaction with the
 * end of the note that the time is free. Null where nobody wants it, or only later. Safe to run twice, by two processes too.
 */
async function makeOffer(
  { database: { transaction }, agendas }: Context,
  { id: freedId, clinicId }: FreedTime,
): Promise<OpenedOffer | null> {
  // Read before the transaction, which would wait for a second connection.
  const [agenda, now] = await Promise.all([agendas.of(clinicId), agendas.now(clinicId)]);
  return transaction(async (tx) => {
    await lockTurns(tx, clinicId);
    const [freed] = await tx<Freed>`
      select f.id::text, f.clinic_id as "clinicId", f.provider_id as "providerId", f.starts_at as "startsAt",
        clock_timestamp() as "realNow", c.sandbox_enabled or coalesce(y.books_in_own_calendar, false) as "isOwnCalendarOn"
      from freed_times f join clinics c on c.id = f.clinic_id left join calling_policies y on y.clinic_id = c.id
      where f.clinic_id = ${clinicId} and f.id = ${freedId}::bigint for update of f skip locked`;
    if (!freed) return null;
    const opened = await giveTurn(tx, { agenda, now, freed });
    if (opened === 'later') return null;
    await tx`delete from freed_times where clinic_id = ${clinicId} and id = ${freedId}::bigint`;
    return opened;
  });
}

/** Ends offers whose time is up while no call is under way, and holds of others that are over: their times are free, and noted. */
async function endOverdue({ database: { sql, transaction } }: Context): Promise<number> {
  const overdue = await sql<OpenedOffer>`
    select o.clinic_id as "clinicId", o.workflow_id as "workflowId" from waitlist_offers o
    where o.status = 'open' and o.ends_at <= now() and not exists (
      select from calls k where k.clinic_id = o.clinic_id and k.workflow_id = o.workflow_id and k.state <> 'ENDED')
    order by o.ends_at limit ${MAX_HOLDS}`;
  for (const offer of overdue) await transaction((tx) => closeOffer(tx, { ...offer, as: 'lapsed', isTold: true }));
  return overdue.length + (await endOverHolds(sql));
}

/** Ends entries whose last day is over by the clock that their clinic's EMR goes by. */
async function endExpired({ database: { sql } }: Context): Promise<number> {
  const clocks = await sql<{ clinicId: string; zone: string; now: Date }>`
    select c.id as "clinicId", c.timezone as zone, coalesce(k.shows + coalesce(now() - k.runs_since, interval '0'), now()) as now
    from clinics c left join sandbox_clocks k on k.clinic_id = c.id and c.sandbox_enabled
    where exists (select from waitlist_entries e where e.clinic_id = c.id and e.status = 'waiting')`;
  if (clocks.length === 0) return 0;
  const clinicIds = clocks.map(({ clinicId }) => clinicId);
  const today = clocks.map(({ now, zone }) => localDate(now.toISOString(), zone));
  const expired = await sql`
    update waitlist_entries e set status = 'expired', ended_at = now()
    from unnest(${clinicIds}::text[], ${today}::text[]) c(id, today)
    where e.clinic_id = c.id and e.status = 'waiting' and e.latest_on < c.today
    returning e.id`;
  return expired.length;
}

/** The offer of a run, or null. */
const ofRun = (
  { database: { sql } }: Context,
  clinicId: string,
  workflowId: string,
): Promise<WaitlistOfferRecord | null> => find(sql, clinicId, workflowId);

/** The patient has picked up: the time stays theirs for as long as when it was offered. False where the offer is over. */
async function prolong(
  { database: { sql }, agendas }: Context,
  clinicId: string,
  workflowId: string,
): Promise<boolean> {
  const now = await agendas.now(clinicId);
  const [offer] = await sql<{ id: string; appointmentId: string }>`
    update waitlist_offers set ends_at = greatest(ends_at, now() + make_interval(mins => ${offerMinutes}))
    where clinic_id = ${clinicId} and workflow_id = ${workflowId} and status = 'open'
    returning id, appointment_id as "appointmentId"`;
  if (!offer) return false;
  const held = await sql`
    update appointments set held_until = least(greatest(held_until, ${now}::timestamptz + make_interval(mins => ${holdMinutes.max})), starts_at),
      updated_at = now()
    where clinic_id = ${clinicId} and id = ${offer.appointmentId} and held_until is not null and cancelled_at is null
    returning id`;
  return held.length > 0;
}

/** Makes the held time the patient's appointment, and takes them off the list. Accepted again it is the same appointment. */
async function accept(
  { database: { transaction }, agendas }: Context,
  clinicId: string,
  workflowId: string,
): Promise<Acceptance> {
  const now = await agendas.now(clinicId);
  return transaction(async (tx): Promise<Acceptance> => {
    // The provider's turn comes first, as wherever a row changes that keeps a time.
    await tx`
      select pg_advisory_xact_lock(hashtextextended(provider_id, 0)) from waitlist_offers
      where clinic_id = ${clinicId} and workflow_id = ${workflowId}`;
    const [open] = await tx<{ entryId: string; appointmentId: string; status: OfferStatus }>`
      select entry_id as "entryId", appointment_id as "appointmentId", status from waitlist_offers
      where clinic_id = ${clinicId} and workflow_id = ${workflowId} for update`;
    const offer = await find(tx, clinicId, workflowId);
    if (!open || !offer) return { kind: 'unknown' };
    if (open.status === 'accepted') return { kind: 'booked', offer };
    if (open.status !== 'open') return { kind: 'over' };
    const booked = await tx`
      update appointments set status = 'booked', held_until = null, created_at = now(), updated_at = now()
      where clinic_id = ${clinicId} and id = ${open.appointmentId} and held_until is not null and cancelled_at is null
        and starts_at > ${now}::timestamptz
      returning id`;
    if (booked.length === 0) return { kind: 'over' };
    await tx`
      update waitlist_offers set status = 'accepted', closed_at = now()
      where clinic_id = ${clinicId} and workflow_id = ${workflowId}`;
    await tx`
      update waitlist_entries set status = 'booked', ended_at = now() where clinic_id = ${clinicId} and id = ${open.entryId}`;
    await lookAgain(tx, clinicId);
    return { kind: 'booked', offer: { ...offer, status: 'accepted' } };
  });
}

/** The patient does not want this time. They wait on, unless they leave the list. False where the offer is over. */
const decline = (
  { database: { transaction } }: Context,
  { clinicId, workflowId, leavesList }: { clinicId: string; workflowId: string; leavesList: boolean },
): Promise<boolean> =>
  transaction(async (tx) => {
    const entryId = await closeOffer(tx, { clinicId, workflowId, as: 'declined' });
    if (entryId !== null && leavesList) {
      await tx`
        update waitlist_entries set status = 'removed', ended_at = now()
        where clinic_id = ${clinicId} and id = ${entryId} and status = 'waiting'`;
    }
    return entryId !== null;
  });

/** The patient may be called only from an instant on: the time goes to others, and may come back. */
const postpone = (
  { database: { transaction } }: Context,
  { clinicId, workflowId, until }: { clinicId: string; workflowId: string; until: string },
): Promise<void> =>
  transaction(async (tx) => {
    const entryId = await closeOffer(tx, { clinicId, workflowId, as: 'postponed' });
    if (entryId === null) return;
    await tx`update waitlist_entries set not_before = ${until} where clinic_id = ${clinicId} and id = ${entryId}`;
  });

/** One turn of a clinic at a time, so that nobody gets two, and nobody who is just taken off the list gets one. */
export async function lockTurns(tx: Sql, clinicId: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`waitlist:${clinicId}`}, 0))`;
}

interface Freed {
  id: string;
  clinicId: string;
  providerId: string;
  startsAt: Date;
  realNow: Date;
  /** As it is now: an agenda that is remembered may be some seconds old, and what is freed meanwhile is not forgotten. */
  isOwnCalendarOn: boolean;
}

/** Null where the time is nobody's turn and stays as it is; `later` where it is to be looked at again. */
async function giveTurn(
  tx: Sql,
  { agenda, now, freed }: { agenda: Agenda | null; now: Date; freed: Freed },
): Promise<OpenedOffer | 'later' | null> {
  const { id: freedId, clinicId, providerId, startsAt, realNow, isOwnCalendarOn } = freed;
  const provider = agenda?.providers.find(({ id }) => id === providerId);
  if (!agenda || !isOwnCalendarOn || !provider) return null;
  if (refusalOf({ agenda, provider, start: startsAt, now }) !== null) return null;

  const putOff = async (at: Date) => {
    await tx`update freed_times set look_at = ${at} where clinic_id = ${clinicId} and id = ${freedId}::bigint`;
    return 'later' as const;
  };
  const [{ pause } = { pause: null }] = await tx<{ pause: { until: string | null } | null }>`
    select outreach_pause(${clinicId}, ${TYPE}) as pause`;
  if (pause) return putOff(sooner(pause.until, new Date(realNow.getTime() + PAUSED_MS)));

  const listed = await tx<
    Waiting & { patientId: string; visitType: string; phone: string | null; optOutScope: OptOutScope | null }
  >`
    select e.id, n.phone, x.scope as "optOutScope", e.patient_id as "patientId", e.provider_id as "providerId", e.visit_type as "visitType", e.earliest_on as "earliestOn",
      e.latest_on as "latestOn", e.from_time as "fromTime", e.until_time as "untilTime", e.not_before as "notBefore",
      e.created_at as "addedAt",
      exists (
        select from waitlist_entries other
        where other.clinic_id = e.clinic_id and other.patient_id = e.patient_id and other.status = 'offered') as "isBusy"
    from waitlist_entries e join patients n on n.clinic_id = e.clinic_id and n.id = e.patient_id
    left join opt_outs x on x.clinic_id = n.clinic_id and x.phone = n.phone
    where e.clinic_id = ${clinicId} and e.status in ('waiting', 'offered') and (e.provider_id is null or e.provider_id = ${providerId})
      and not exists (
        select from waitlist_entries other join waitlist_offers o on o.clinic_id = other.clinic_id and o.entry_id = other.id
        where other.clinic_id = e.clinic_id and other.patient_id = e.patient_id
          and o.status <> 'postponed' and o.provider_id = ${providerId} and o.starts_at = ${startsAt})
    order by e.created_at, e.id limit ${MAX_WAITING} for update of e`;
  // Nobody can or may call them, whatever the time: they are on the list for staff.
  const waiting = listed.filter(({ phone, optOutScope }) => phone !== null && !isOptedOut(optOutScope, TYPE));
  const turn = nextTurn(waiting, { providerId, startsAt: startsAt.toISOString(), zone: agenda.zone, realNow });
  if (turn.kind === 'nobody') return null;
  if (turn.kind === 'later') return turn.at < startsAt ? putOff(turn.at) : null;

  const entry = waiting.find(({ id }) => id === turn.entryId);
  if (!entry) return null;
  const { patientId, visitType } = entry;
  const end = new Date(slotEnd(startsAt.toISOString()));
  const heldUntil = holdEnd({ now, minutes: holdMinutes.max, startsAt });
  const appointmentId = newId();
  for (let tries = 1; ; tries += 1) {
    const held = await tx`
      insert into appointments (id, clinic_id, patient_id, provider_id, status, visit_type, starts_at, ends_at, held_until)
      values (${appointmentId}, ${clinicId}, ${patientId}, ${providerId}, 'cancelled', ${visitType}, ${startsAt}, ${end}, ${heldUntil})
      on conflict do nothing returning id`;
    if (held.length > 0) break;
    // Somebody has it again: when they free it, that is noted again.
    const way = await lookInTheWay(tx, { clinicId, providerId, patientId, start: startsAt, end, now });
    if (way.kind !== 'nothing' || tries === MAX_LOOKS) return null;
  }
  const offerId = newId();
  const workflowId = newId(TYPE);
  const context = {
    appointment: { appointmentId: offerId, providerName: provider.name, startsAt: startsAt.toISOString(), visitType },
  };
  await tx`
    insert into workflow_runs (id, clinic_id, workflow_type, session_id, patient_id, context, is_simulated)
    select ${workflowId}, id, ${TYPE}, ${offerId}, ${patientId}, ${JSON.stringify(context)}::jsonb, voice_provider = 'simulator'
    from clinics where id = ${clinicId}`;
  await tx`
    insert into waitlist_offers (id, clinic_id, entry_id, workflow_id, provider_id, starts_at, appointment_id, ends_at)
    values (${offerId}, ${clinicId}, ${entry.id}, ${workflowId}, ${providerId}, ${startsAt}, ${appointmentId},
      now() + make_interval(mins => ${offerMinutes}))`;
  await tx`update waitlist_entries set status = 'offered', not_before = null where clinic_id = ${clinicId} and id = ${entry.id}`;
  return { clinicId, workflowId };
}

/** While outreach is paused nobody is called: it is looked at again soon, and when it goes on. */
const PAUSED_MS = 60_000;

const sooner = (one: string | null, other: Date): Date =>
  one !== null && new Date(one) < other ? new Date(one) : other;

/**
 * Ends the open offer of a run: its time is free again and goes to the next, its patient waits on. With `isTold` the run hears of it.
 * Returns the entry, or null where the offer was over before.
 */
export async function closeOffer(
  tx: Sql,
  {
    clinicId,
    workflowId,
    as,
    isTold = false,
  }: { clinicId: string; workflowId: string; as: OfferStatus; isTold?: boolean },
): Promise<string | null> {
  const [closed] = await tx<{ id: string; entryId: string; appointmentId: string }>`
    update waitlist_offers set status = ${as}, closed_at = now()
    where clinic_id = ${clinicId} and workflow_id = ${workflowId} and status = 'open'
    returning id, entry_id as "entryId", appointment_id as "appointmentId"`;
  if (!closed) return null;
  await tx`
    update waitlist_entries set status = 'waiting' where clinic_id = ${clinicId} and id = ${closed.entryId} and status = 'offered'`;
  await endHolds(tx, clinicId, [closed.appointmentId]);
  await lookAgain(tx, clinicId);
  if (isTold) {
    await tell(tx, { id: `offer-over-${closed.id}`, clinicId, workflowId, signal: 'rulesChanged', payload: {} });
  }
  return closed.entryId;
}

/** Somebody can be asked again: some of the times that nobody could be asked about are looked at now. The others' moments come. */
async function lookAgain(tx: Sql, clinicId: string): Promise<void> {
  await tx`
    update freed_times set look_at = now() where id in (
      select id from freed_times where clinic_id = ${clinicId} and look_at > now() order by id limit ${LOOKED_AT_AGAIN}
      for update skip locked)`;
}

async function find(sql: Sql, clinicId: string, workflowId: string): Promise<WaitlistOfferRecord | null> {
  const [offer] = await sql<WaitlistOfferRecord>`
    select o.status, o.appointment_id as "appointmentId", p.name as "providerName", p.display_name as "providerDisplayName",
      e.visit_type as "visitType", o.starts_at as "startsAt"
    from waitlist_offers o join waitlist_entries e on e.clinic_id = o.clinic_id and e.id = o.entry_id
    join providers p on p.clinic_id = o.clinic_id and p.id = o.provider_id
    where o.clinic_id = ${clinicId} and o.workflow_id = ${workflowId}`;
  return offer ?? null;
}

/** Holds that nobody has looked at since their instant: of clinics where somebody waits, as their EMR's time goes. */
async function endOverHolds(sql: Sql): Promise<number> {
  const held = await sql<{ clinicId: string; id: string; heldUntil: Date | null; shown: Date }>`
    select a.clinic_id as "clinicId", a.id, a.held_until as "heldUntil", t.shown
    from (select distinct clinic_id from waitlist_entries where status in ('waiting', 'offered')) w
    join clinics c on c.id = w.clinic_id left join calling_policies y on y.clinic_id = c.id
    left join sandbox_clocks k on k.clinic_id = c.id and c.sandbox_enabled
    cross join lateral (select coalesce(k.shows + (now() - k.runs_since), k.shows, now()) as shown) t
    join providers p on p.clinic_id = c.id
    join appointments a on a.provider_id = p.id and a.held_until is not null and a.cancelled_at is null and a.starts_at > t.shown
    where (c.sandbox_enabled or coalesce(y.books_in_own_calendar, false)) and not exists (
      select from waitlist_offers o where o.clinic_id = a.clinic_id and o.appointment_id = a.id and o.status = 'open')
    order by a.held_until limit ${MAX_HOLDS}`;
  const over = held.filter(({ heldUntil, shown }) => heldUntil !== null && !isHeldAt(heldUntil, shown));
  for (const clinicId of new Set(over.map((each) => each.clinicId))) {
    const ids = over.flatMap((each) => (each.clinicId === clinicId ? each.id : []));
    await endHolds(sql, clinicId, ids);
  }
  return over.length;
}
