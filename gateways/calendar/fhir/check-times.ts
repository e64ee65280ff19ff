import type { FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import type { ApiFinding } from '@clinic/shared/contracts/events/approved-api-check';
import { z } from 'zod';
import { type Ask, searchPages } from './requests';
import { freeSlotsIn, schedulesOf } from './slots';

/** As far as the check looks ahead for free times. */
const WEEKS = 4;
const SLOTS_A_PAGE = 50;

/** Something that is tried at the server, and what is said where there is no time left for it. */
export interface Trial {
  late: ApiFinding;
  run(): Promise<ApiFinding[]>;
}

/** Whether each provider has a schedule there, and a free time in the next weeks: without, calls have nothing to offer. */
export async function timesThere(
  ask: Ask,
  { providers, isLive }: Pick<FhirSettings, 'providers' | 'isLive'>,
  now: Date,
): Promise<{ findings: ApiFinding[]; trials: Trial[] }> {
  const actors = [...new Set(providers.map(({ reference }) => reference))];
  const schedules = actors.length > 0 ? await schedulesOf(ask, actors) : new Map<string, string>();
  const rows = providers.map(({ name, reference }, index) => ({
    name,
    path: `fhir.providers.${index}.reference`,
    schedules: [...schedules].flatMap(([id, actor]) => (actor === reference ? [id] : [])),
  }));
  const until = new Date(now.getTime() + WEEKS * 7 * 86_400_000);
  return {
    findings: rows
      .filter((row) => row.schedules.length === 0)
      .map(({ name, path }) => ({
        path,
        code: 'no_schedule',
        // What is told after a call is left to staff where it fails; a call would have nothing to offer.
        isProblem: isLive,
        message: `${name} has no Schedule there: no time of theirs can be offered or booked`,
      })),
    trials: rows
      .filter((row) => row.schedules.length > 0)
      .map(({ name, path, schedules: ids }) => ({
        late: said(path, 'not_tried', `${name}: whether a time is free was not asked, as the server was too slow`),
        run: async () => {
          const isFree = await hasFreeTime(ask, { ids, now, until });
          const message = `${name} has no free time there in the next ${WEEKS} weeks`;
          return isFree ? [] : [said(path, 'no_free_time', message)];
        },
      })),
  };
}

async function hasFreeTime(ask: Ask, { ids, now, until }: { ids: string[]; now: Date; until: Date }): Promise<boolean> {
  const query: [string, string][] = [
    ['schedule', ids.join(',')],
    ['status', 'free'],
    ['start', `ge${now.toISOString()}`],
    ['start', `lt${until.toISOString()}`],
    ['_count', String(SLOTS_A_PAGE)],
  ];
  const request = { method: 'GET' as const, path: 'Slot', template: 'Slot', query };
  // A server that passes over `status` shows those that are taken too.
  const { resources } = await searchPages(ask, 'Slot', request, (found) => freeSlotsIn(found).length > 0);
  return freeSlotsIn(resources).length > 0;
}

/** Where the server has another number of something than is mapped: what was forgotten, or what is too much. */
export function countsThere(ask: Ask, { providers, locations, visitTypes }: FhirSettings): Trial[] {
  const counted = [
    { path: 'fhir.providers', type: 'Schedule', mapped: providers.length },
    { path: 'fhir.locations', type: 'Location', mapped: locations.length },
    { path: 'fhir.visitTypes', type: 'HealthcareService', mapped: visitTypes.length },
  ];
  return counted.map(({ path, type, mapped }) => ({
    late: said(path, 'not_tried', `how many of them the server has was not asked, as it was too slow`),
    run: async () => {
      const query: [string, string][] = [
        ['_count', '1'],
        ['_total', 'accurate'],
      ];
      // A server need not know the type, nor have any, nor count.
      const answer = await ask({ method: 'GET', path: type, template: type, query }).catch(() => null);
      const total = Counted.safeParse(answer?.body).data?.total || mapped;
      const message = `${mapped} mapped, and the server has ${total} of type ${type}: see whether one is missing`;
      return total === mapped ? [] : [said(path, 'counts_differ', message)];
    },
  }));
}

const Counted = z.object({ total: z.int() });

const said = (path: string, code: ApiFinding['code'], message: string): ApiFinding => ({
  path,
  code,
  message,
  isProblem: false,
});
