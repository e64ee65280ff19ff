import { isHeldAt } from '@clinic/shared/domain/calendar/holds';
import {
  offeredSlots,
  slotEnd,
  slotMinutes,
  slotMs,
  slotStatus,
  type BookedSpan,
  type Slot,
} from '@clinic/shared/domain/calendar/slots';
import { explainTime, type TimeReason } from '@clinic/shared/domain/calendar/time-explained';
import type { Database } from '../../client';
import { type Agenda, type Agendas, providerNamed, type ProviderRecord, providerSpokenOf } from './agendas';

interface Context {
  database: Database;
  agendas: Agendas;
}

/** Why a time is not to be had: somebody was first, or thinks it over, it is not on offer, it has begun. */
export type TimeRefusal =
  | { kind: 'slot_taken' }
  | { kind: 'slot_held' }
  | { kind: 'slot_unavailable' }
  | { kind: 'in_the_past' };

/** A time that can be booked. */
export interface OpenSlot {
  slotId: string;
  providerName: string;
  providerDisplayName: string;
  startsAt: string;
  endsAt: string;
}

/** Booked and held times by provider. An appointment is a slot long, so what overlaps began less than a slot earlier. */
async function takenTimes(
  { database: { sql } }: Context,
  providerIds: string[],
  from: string,
  until: string,
  now: Date,
) {
  // Times as texts for each provider, a held one with its end: a hundred rows cost more to read than all the rest of a search.
  const rows = await sql<{ providerId: string; booked: string | null; held: string | null }>`
    select provider_id as "providerId", string_agg(time, ' ') filter (where until is null) as booked,
      string_agg(time || '/' || until, ' ') filter (where until is not null) as held
    from (
      select provider_id, (extract(epoch from starts_at) * 1000)::bigint::text as time, null::text as until from appointments
      where provider_id = any (${providerIds}::text[]) and status in ('booked', 'arrived') and starts_at < ${until}
        and starts_at > ${from}::timestamptz - make_interval(mins => ${slotMinutes})
      union all
      select provider_id, (extract(epoch from starts_at) * 1000)::bigint::text, (extract(epoch from held_until) * 1000)::bigint::text
      from appointments
      where provider_id = any (${providerIds}::text[]) and held_until is not null and cancelled_at is null and starts_at < ${until}
        and starts_at > ${from}::timestamptz - make_interval(mins => ${slotMinutes})) t
    group by provider_id`;
  return new Map(rows.map(({ providerId, booked, held }) => [providerId, spansOf(booked, held, now)]));
}

function spansOf(booked: string | null, held: string | null, now: Date): BookedSpan[] {
  const spans: BookedSpan[] = [];
  for (const time of booked?.split(' ') ?? []) spans.push(spanFrom(Number(time)));
  for (const time of held?.split(' ') ?? []) {
    const [start = 0, heldUntil = 0] = time.split('/').map(Number);
    if (isHeldAt(new Date(heldUntil), now)) spans.push(spanFrom(start));
  }
  return spans;
}

const spanFrom = (start: number): BookedSpan => ({ start, end: start + slotMs });

/** What each of the providers offers. */
async function offered(
  context: Context,
  {
    agenda,
    providers,
    from,
    until,
    now,
  }: {
    agenda: Agenda;
    providers: ProviderRecord[];
    from: string;
    until: string;
    now: Date;
  },
): Promise<Slot[][]> {
  const { zone } = agenda;
  const at = now.toISOString();
  const ids = providers.map(({ id }) => id);
  const taken = await takenTimes(context, ids, from > at ? from : at, slotEnd(until), now);
  return providers.map((provider) =>
    offeredSlots({ ...hoursOf(provider, agenda), zone, now: at, from, until, booked: taken.get(provider.id) ?? [] }),
  );
}

/** What the provider of exactly this name has on offer, in order of time; null where there is no such provider. */
export async function slotsOf(
  context: Context,
  {
    clinicId,
    providerName,
    from,
    until,
    now,
  }: {
    clinicId: string;
    providerName: string;
    from: string;
    until: string;
    now: Date;
  },
): Promise<Slot[] | null> {
  const { agendas } = context;
  const agenda = await agendas.of(clinicId);
  const provider = agenda && providerNamed(agenda, providerName);
  if (!provider) return null;
  const [slots = []] = await offered(context, { agenda, providers: [provider], from, until, now });
  return slots;
}

/** Why a time of the provider of exactly this name is to be had or not; null where there is no such provider. */
export async function explain(
  context: Context,
  { clinicId, providerName, startsAt, now }: { clinicId: string; providerName: string; startsAt: string; now: Date },
): Promise<TimeReason | null> {
  const { database, agendas } = context;
  const { sql } = database;
  const agenda = await agendas.of(clinicId);
  const provider = agenda && providerNamed(agenda, providerName);
  if (!provider) return null;
  const taken = await takenTimes(context, [provider.id], startsAt, slotEnd(startsAt), now);
  const reason = explainTime({
    ...hoursOf(provider, agenda),
    zone: agenda.zone,
    now: now.toISOString(),
    startsAt,
    booked: taken.get(provider.id) ?? [],
  });
  if (reason !== 'booking') return reason;
  const [booked] = await sql`
    select id from appointments
    where clinic_id = ${clinicId} and provider_id = ${provider.id} and status in ('booked', 'arrived')
      and starts_at < ${slotEnd(startsAt)} and ends_at > ${startsAt} limit 1`;
  return booked ? 'booking' : 'hold';
}

/** What one provider, or any (`null`), has on offer from `from` and before `until`, in order of time. */
export async function openSlots(
  context: Context,
  {
    clinicId,
    provider: spoken,
    from,
    until,
    now,
  }: {
    clinicId: string;
    provider: string | null;
    from: string;
    until: string;
    now: Date;
  },
): Promise<{ kind: 'slots'; slots: OpenSlot[] } | { kind: 'unknown_provider' }> {
  const { agendas } = context;
  const agenda = await agendas.of(clinicId);
  const asked = agenda && spoken !== null ? providerSpokenOf(agenda, spoken) : null;
  if (!agenda || (spoken !== null && !asked)) return { kind: 'unknown_provider' };
  const providers = asked ? [asked] : agenda.providers;
  const found = await offered(context, { agenda, providers, from, until, now });
  const slots = providers.flatMap(({ name: providerName, displayName: providerDisplayName }, index) =>
    (found[index] ?? []).map(({ slotId, startsAt, endsAt }): OpenSlot => {
      return { slotId, providerName, providerDisplayName, startsAt, endsAt };
    }),
  );
  // ISO instants in UTC sort as text; the sort is stable, so providers of one time stay in order of name.
  return { kind: 'slots', slots: asked ? slots : slots.toSorted(byStart) };
}

const byStart = (one: OpenSlot, other: OpenSlot) =>
  one.startsAt < other.startsAt ? -1 : Number(one.startsAt > other.startsAt);

/** Asks the pure rule by which the search offers times; whether somebody else has the time is for the database to say. */
export function refusalOf({
  agenda,
  provider,
  start,
  now,
}: {
  agenda: Agenda;
  provider: ProviderRecord;
  start: Date;
  now: Date;
}): { kind: 'slot_unavailable' } | { kind: 'in_the_past' } | null {
  const status = slotStatus({
    ...hoursOf(provider, agenda),
    zone: agenda.zone,
    booked: [],
    startsAt: start.toISOString(),
    now: now.toISOString(),
  });
  if (status === 'in_the_past') return { kind: 'in_the_past' };
  return status === 'offered' ? null : { kind: 'slot_unavailable' };
}

/** What search and booking go by alike. */
const hoursOf = (
  { name: providerName, workingHours: hours, daysInForce, noticeInForce }: ProviderRecord,
  { leniency }: Pick<Agenda, 'leniency'>,
) => ({
  providerName,
  hours,
  specialDays: daysInForce,
  noticeMinutes: noticeInForce,
  bookableDays: leniency.maximumNoticeDays,
});
