import { filedUnder } from '@clinic/gateways/calendar/fhir/busy-times';
import type { FhirAnswer, FhirRequest } from '@clinic/gateways/calendar/fhir/exchange';
import type { FhirServer } from '@clinic/gateways/calendar/fhir/server';

const roleOf = (person: string, id: number) => ({
  resourceType: 'PractitionerRole',
  id: `role-${id}`,
  practitioner: { reference: person },
});

/** A server that shows these pages of roles, one after the other. */
function serverWith(pages: object[][]) {
  const asked: (string | undefined)[] = [];
  const ask = async ({ page }: FhirRequest): Promise<FhirAnswer> => {
    asked.push(page);
    const index = Number(page ?? 0);
    const next = index + 1 < pages.length ? String(index + 1) : null;
    const link = next === null ? [] : [{ relation: 'next', url: next }];
    const entry = (pages[index] ?? []).map((resource) => ({ resource }));
    const body = { resourceType: 'Bundle', type: 'searchset', link, entry };
    return { status: 200, body, next } as unknown as FhirAnswer;
  };
  const server = { ask, memory: { filedUnder: new Map<string, string[]>() } } as unknown as FhirServer;
  return { asked, server };
}

const [ours, other] = ['Practitioner/ours', 'Practitioner/other'];

test('the visits of a practitioner may be filed under any of their roles, on however many pages those stand', async () => {
  const { asked, server } = serverWith([[roleOf(ours, 1), roleOf(ours, 2)], [roleOf(ours, 3)]]);

  const all = [ours, ...[1, 2, 3].map((id) => `PractitionerRole/role-${id}`)];
  expect(await filedUnder(server, ours)).toEqual(all);
  expect(await filedUnder(server, 'PractitionerRole/role-3')).toEqual(all);
  expect(asked).toHaveLength(2);
});

test('of a server that shows the roles of everybody one page is read, and theirs are taken', async () => {
  const { asked, server } = serverWith([[roleOf(ours, 1), roleOf(other, 2)], [roleOf(ours, 3)]]);

  expect(await filedUnder(server, ours)).toEqual([ours, 'PractitionerRole/role-1']);
  expect(asked).toHaveLength(1);
});
