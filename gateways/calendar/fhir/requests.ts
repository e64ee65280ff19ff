import { type FhirAnswer, FhirFault, type FhirRequest } from './exchange';
import { idOf, nextPageOf, type Resource, resourcesOf } from '@clinic/shared/contracts/calendar/fhir-reading';

/** A search that goes on after so many pages is cut off there. */
const MAX_PAGES = 10;

export type Ask = (request: FhirRequest) => Promise<FhirAnswer>;

export function unusable(reason: string): never {
  throw new FhirFault({ kind: 'unusable', reason });
}

export function refused(fault: string, status: number, because?: 'time_taken' | 'no_such_patient'): never {
  throw new FhirFault({ kind: 'refused', status, fault, body: null, ...(because && { because }) }, status);
}

export interface Found {
  resources: Resource[];
  /** False where the search was cut off, or goes on where it must not be followed. */
  isWhole: boolean;
}

/** Everything that a search finds, page by page, up to ten pages. */
export const search = (ask: Ask, type: string, query: [string, string][]): Promise<Found> =>
  searchPages(ask, type, { method: 'GET', path: type, template: type, query });

export async function searchPages(
  ask: Ask,
  type: string,
  request: FhirRequest,
  isEnough: (found: Resource[]) => boolean = () => false,
): Promise<Found> {
  const resources: Resource[] = [];
  let answer = await ask(request);
  for (let page = 1; ; page += 1) {
    const found = resourcesOf(type, answer.body);
    resources.push(...found);
    // Some servers say to the end that more follows, and some show on the first page only how many there are.
    if (found.length === 0 && page > 1) return { resources, isWhole: true };
    if (answer.next === null) return { resources, isWhole: nextPageOf(answer.body) === null };
    if (page === MAX_PAGES || isEnough(found)) return { resources, isWhole: false };
    answer = await ask({ method: 'GET', path: type, template: type, page: answer.next });
  }
}

/** Makes a record unless one meets the condition already, so that a lost answer makes no second one. */
export const create = (ask: Ask, type: string, body: object, condition: string): Promise<FhirAnswer> =>
  ask({ method: 'POST', path: type, template: type, body, headers: { 'if-none-exist': condition } });

/** As `create`, sent again after a conflict: HAPI has one where the same was sent twice at once, and finds it the next time. */
export async function createOnce(...record: Parameters<typeof create>): Promise<FhirAnswer> {
  try {
    return await create(...record);
  } catch (error) {
    if (!(error instanceof FhirFault) || error.status !== 409) throw error;
    return create(...record);
  }
}

export function idFrom({ body, id, status }: FhirAnswer): string {
  return idOf(body) ?? id ?? refused('the answer names no id of what was made', status);
}

/** An answer without a resource where there is none. */
export async function orNull(
  asked: Promise<FhirAnswer>,
  statuses = [404, 410],
): Promise<Pick<FhirAnswer, 'body' | 'version'>> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof FhirFault && statuses.includes(error.status ?? 0)) return { body: null, version: null };
    throw error;
  }
}
