import { z } from 'zod';
import type { EhrTime } from '@clinic/prisma/stores/calendar/ehr-times';
import { slotEnd } from '@clinic/shared/domain/calendar/slots';
import { Instant, isReferenceTo, type Resource } from '@clinic/shared/contracts/calendar/fhir-reading';
import type { CallMemory } from './call-memory';
import { type Ask, refused, search } from './requests';

const SLOTS_A_PAGE = 200;

/** A time that the server shows as free. */
export interface FreeSlot {
  /** As `Slot/12`. */
  reference: string;
  startsAt: string;
  endsAt: string;
  /** As it came. */
  resource: Resource;
  /** Those that follow it, for a visit that lasts longer than one. */
  more?: FreeSlot[];
}

/** A slot with those that follow it. */
export const allOf = ({ more = [], ...slot }: FreeSlot): FreeSlot[] => [slot, ...more];

interface WantedSlot {
  actor: string;
  startsAt: string;
  /** When the visit ends; where it is left out one slot is enough. */
  endsAt?: string;
  own?: OwnTime | null;
}

/** The time of a visit that is moved: what it has itself is free for it. */
type OwnTime = Pick<EhrTime, 'startsAt' | 'endsAt'>;

/** A free slot at exactly this time, with those that follow it as long as the visit lasts. Throws a refusal where one of them is not free. */
export async function freeSlot(
  ask: Ask,
  { actor, startsAt, endsAt = startsAt, own = null }: WantedSlot,
  memory?: CallMemory,
): Promise<FreeSlot> {
  const until = new Date(Date.parse(startsAt) + 60_000).toISOString();
  const slots = await freeSlots(ask, { actors: [actor], from: startsAt, until, own }, memory);
  const slot =
    slots.find((each) => Date.parse(each.startsAt) === Date.parse(startsAt)) ??
    refused('the time is not free there', 409, 'time_taken');
  return freeSlotUntil(ask, slot, { actor, until: endsAt, own }, memory);
}

/** A free slot with those that follow it until this instant. Throws a refusal where one of them is not free. */
export async function freeSlotUntil(
  ask: Ask,
  slot: FreeSlot,
  { actor, until, own = null }: { actor: string; until: string; own?: OwnTime | null },
  memory?: CallMemory,
): Promise<FreeSlot> {
  if (until <= slot.endsAt) return slot;
  const following = await freeSlots(ask, { actors: [actor], from: slot.endsAt, until, own }, memory);
  const more: FreeSlot[] = [];
  for (let last = slot; last.endsAt < until; more.push(last)) {
    const { endsAt } = last;
    last =
      following.find((each) => each.startsAt === endsAt && each.endsAt > endsAt) ??
      refused('the time is not free there for as long as the visit lasts', 409, 'time_taken');
  }
  return { ...slot, endsAt: until, more };
}

/** The free slots of some people between two instants, by the searches that every server with slots has. */
export async function freeSlots(
  ask: Ask,
  { actors, from, until, own = null }: { actors: string[]; from: string; until: string; own?: OwnTime | null },
  memory?: CallMemory,
): Promise<(FreeSlot & { actor: string })[]> {
  const schedules = await schedulesOf(ask, actors, memory);
  if (schedules.size === 0) refused(`it has no schedule of ${actors.join(', ')}`, 404);
  const { resources } = await search(ask, 'Slot', [
    ['schedule', [...schedules.keys()].join(',')],
    ['status', own ? 'free,busy' : 'free'],
    ['start', `ge${from}`],
    ['start', `lt${until}`],
    ['_count', String(SLOTS_A_PAGE)],
  ]);
  return freeSlotsIn(resources, own).flatMap(({ schedule, ...slot }) => {
    const actor = schedules.get(schedule);
    return actor === undefined ? [] : [{ ...slot, actor }];
  });
}

/** Whose each schedule is, as `Schedule/12`. A call asks once: they do not change while it goes on. */
export async function schedulesOf(ask: Ask, actors: string[], memory?: CallMemory): Promise<Map<string, string>> {
  const known = actors.flatMap((actor) => memory?.schedules.get(actor)?.map((id) => [id, actor] as const) ?? []);
  if (actors.every((actor) => memory?.schedules.has(actor))) return new Map(known);
  const { resources } = await search(ask, 'Schedule', [['actor', actors.join(',')]]);
  const schedules = schedulesIn(resources, actors);
  for (const actor of actors) {
    const theirs = [...schedules].flatMap(([id, whose]) => (whose === actor ? [id] : []));
    if (theirs.length > 0) memory?.schedules.set(actor, theirs);
  }
  return schedules;
}

const Schedule = z.object({ id: z.string(), actor: z.array(z.object({ reference: z.string().optional() })) });
const Slot = z.object({
  id: z.string(),
  status: z.string(),
  start: Instant,
  end: Instant.optional().catch(undefined),
  schedule: z.object({ reference: z.string() }),
});

/** Schedules as `Schedule/12`, with whose they are of those who were asked for. */
function schedulesIn(resources: unknown[], actors: string[]): Map<string, string> {
  const found = resources.flatMap((resource) => {
    const schedule = Schedule.safeParse(resource).data;
    // A server may write references with its own address in front.
    const actor = actors.find((each) => schedule?.actor.some(({ reference }) => isReferenceTo(reference, each)));
    return schedule && actor ? [[`Schedule/${schedule.id}`, actor] as const] : [];
  });
  return new Map(found);
}

/** The free times of a search, and those that a visit has itself; one without an end is as long as ours. */
export const freeSlotsIn = (resources: Resource[], own: OwnTime | null = null): (FreeSlot & { schedule: string })[] =>
  resources.flatMap((resource) => {
    const slot = Slot.safeParse(resource).data;
    if (!slot) return [];
    const { id, status, start: startsAt, end: endsAt = slotEnd(startsAt) } = slot;
    const isOwn = own !== null && status === 'busy' && startsAt >= own.startsAt && startsAt < own.endsAt;
    if (status !== 'free' && !isOwn) return [];
    const schedule = slot.schedule.reference.split('/').slice(-2).join('/');
    return [{ reference: `Slot/${id}`, schedule, startsAt, endsAt, resource }];
  });
