import { z } from 'zod';
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

/** A free slot at exactly this time. Throws a refusal where there is none. */
export async function freeSlot(
  ask: Ask,
  { actor, startsAt }: { actor: string; startsAt: string },
  memory?: CallMemory,
): Promise<FreeSlot> {
  const until = new Date(Date.parse(startsAt) + 60_000).toISOString();
  const slots = await freeSlots(ask, { actors: [actor], from: startsAt, until }, memory);
  return (
    slots.find((slot) => Date.parse(slot.startsAt) === Date.parse(startsAt)) ??
    refused('the time is not free there', 409, 'time_taken')
  );
}

/** A free slot with those that follow it until this instant. Throws a refusal where one of them is not free. */
export async function freeSlotUntil(
  ask: Ask,
  slot: FreeSlot,
  { actor, until }: { actor: string; until: string },
  memory?: CallMemory,
): Promise<FreeSlot> {
  if (until <= slot.endsAt) return slot;
  const following = await freeSlots(ask, { actors: [actor], from: slot.endsAt, until }, memory);
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
  { actors, from, until }: { actors: string[]; from: string; until: string },
  memory?: CallMemory,
): Promise<(FreeSlot & { actor: string })[]> {
  const schedules = await schedulesOf(ask, actors, memory);
  if (schedules.size === 0) refused(`it has no schedule of ${actors.join(', ')}`, 404);
  const { resources } = await search(ask, 'Slot', [
    ['schedule', [...schedules.keys()].join(',')],
    ['status', 'free'],
    ['start', `ge${from}`],
    ['start', `lt${until}`],
    ['_count', String(SLOTS_A_PAGE)],
  ]);
  return freeSlotsIn(resources).flatMap(({ schedule, ...slot }) => {
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

/** The free times of a search; one without an end is as long as ours. */
export const freeSlotsIn = (resources: Resource[]): (FreeSlot & { schedule: string })[] =>
  resources.flatMap((resource) => {
    const slot = Slot.safeParse(resource).data;
    if (slot?.status !== 'free') return [];
    const schedule = slot.schedule.reference.split('/').slice(-2).join('/');
    const { id, start: startsAt, end: endsAt = slotEnd(startsAt) } = slot;
    return [{ reference: `Slot/${id}`, schedule, startsAt, endsAt, resource }];
  });
