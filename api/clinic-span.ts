import { parseDateOrInstant } from '@clinic/shared/domain/calendar/clinic-time';
import { invalid } from '@clinic/shared/errors';
import type { Stores } from '@clinic/prisma/stores';

type Agendas = Pick<Stores, 'agendas'>;

export const zoneOf = async ({ agendas }: Agendas, clinicId: string): Promise<string> =>
  (await agendas.of(clinicId))?.zone ?? 'UTC';

/** Reads a day of the clinic's calendar or an instant. Throws `bad_request` for anything else. */
export function momentOf(name: string, given: string, zone: string): string;
export function momentOf(name: string, given: string | undefined, zone: string): string | undefined;
export function momentOf(name: string, given: string | undefined, zone: string): string | undefined {
  if (given === undefined) return undefined;
  const moment = parseDateOrInstant(given, zone);
  if (moment !== null) return moment;
  throw invalid(name, 'is not a date or an ISO 8601 timestamp');
}

interface Span {
  from?: string;
  until?: string;
}

/** The span of time that a query asks for, by the clinic's calendar. Throws `bad_request` for what is neither a day nor an instant. */
export async function spanOf(stores: Agendas, clinicId: string, { from, until }: Span): Promise<Span> {
  const zone = await zoneOf(stores, clinicId);
  return { from: momentOf('from', from, zone), until: momentOf('until', until, zone) };
}
