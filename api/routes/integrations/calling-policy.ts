import {
  CallingPolicySettings,
  CallingPolicyView,
  ImportedOptOuts,
  ListOptOuts,
  NewOptOut,
  OptOut,
} from '@clinic/shared/contracts/calling-policy';
import { readPhone } from '@clinic/shared/domain/phone';
import { AppError } from '@clinic/shared/errors';
import type { OptOutRecord } from '@clinic/prisma/stores/opt-outs';
import { z } from 'zod';
import { listRoute, mapPage } from '../../http/list-route';
import { actorOf, route, type Route } from '../../http/route';
import { optOutHeader, optOutRows, readOptOuts } from '../../opt-out-csv';
import type { RouteDeps } from '../../route-deps';
import { staffNames } from '../../staff-names';

const tag = 'Integrations: calling';

/** When and how often patients are called, and whom never. */
export function callingPolicyRoutes({ stores }: RouteDeps): Route[] {
  /** Page by page, so that a long list is never in memory as a whole. */
  async function* exported(clinicId: string): AsyncGenerator<string> {
    yield optOutHeader();
    let cursor: string | undefined;
    do {
      const page = await stores.optOuts.list(clinicId, { limit: 1_000, cursor });
      if (page.items.length > 0) yield optOutRows(page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  const countryOf = async (clinicId: string) => (await stores.clinics.find(clinicId))?.defaultCountry ?? 'US';

  return [
    route({
      method: 'get',
      path: '/integrations/recovery-policy',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: "When and how often patients are called; hours are the clinic's wall clock",
      responses: { 200: { description: 'The policy', schema: CallingPolicyView } },
      handle: async ({ caller }) => ({ body: await stores.clinics.policy(caller.clinicId) }),
    }),
    route({
      method: 'put',
      path: '/integrations/recovery-policy',
      access: 'admin',
      tag,
      summary: 'Change when and how often patients are called; cases that are open follow it from their next step',
      body: CallingPolicySettings,
      responses: { 200: { description: 'The policy as it is now', schema: CallingPolicyView } },
      async handle({ caller, body, requestId }) {
        await stores.clinics.setPolicy(caller.clinicId, body, actorOf(caller, requestId));
        return { body: await stores.clinics.policy(caller.clinicId) };
      },
    }),
    listRoute({
      path: '/integrations/opt-outs',
      access: 'clinic',
      patientData: { action: 'opt-out.list' },
      tag,
      summary: 'Phones that are never called, newest first',
      query: ListOptOuts,
      item: OptOut,
      items: 'phones',
      async read({ caller: { clinicId }, query }) {
        const [page, names] = await Promise.all([stores.optOuts.list(clinicId, query), staffNames(stores, clinicId)]);
        return mapPage(page, (record) => toOptOut(record, names));
      },
    }),
    route({
      method: 'post',
      path: '/integrations/opt-outs',
      access: 'clinic',
      tag,
      summary: 'Never call a phone again; one that is on the list stays on it',
      description: "The phone is read as people write it, without a country code as one of the clinic's country.",
      body: NewOptOut,
      isIdempotent: true,
      responses: { 200: { description: 'The entry', schema: OptOut } },
      async handle({ caller, body: { phone: written, scope }, requestId }) {
        const { clinicId } = caller;
        const phone = readPhone(written, await countryOf(clinicId));
        if (phone === null) throw unreadablePhone();
        const added = await stores.optOuts.add(clinicId, phone, actorOf(caller, requestId), { scope });
        return { body: toOptOut(added, await staffNames(stores, clinicId)) };
      },
    }),
    route({
      method: 'get',
      path: '/integrations/opt-outs/export',
      access: 'clinic',
      patientData: { action: 'opt-out.export' },
      tag,
      summary: 'All opt-outs as CSV, newest first, in the form that an import takes',
      responses: { 200: { description: 'phone,scope,source,addedBy,createdAt', schema: z.string(), type: 'text/csv' } },
      handle: ({ caller: { clinicId } }) => ({
        type: 'text/csv; charset=utf-8',
        headers: { 'content-disposition': 'attachment; filename="opt-outs.csv"' },
        stream: exported(clinicId),
      }),
    }),
    route({
      method: 'post',
      path: '/integrations/opt-outs/import',
      access: 'admin',
      tag,
      summary: 'Never call the phones of a CSV file again',
      description:
        'A header with `phone`, and `scope` (`all` unless given) and `createdAt` (now unless given) where they are known; other columns are ignored, so an export can be imported. Rows that can be read are taken; the rest are listed by their line.',
      body: z.string(),
      consumes: ['text/csv'],
      limit: '2mb',
      responses: { 200: { description: 'What became of the rows', schema: ImportedOptOuts } },
      async handle({ caller, body, requestId }) {
        const { clinicId } = caller;
        const { rows, entries, refused } = readOptOuts(body, await countryOf(clinicId));
        const { added, widened } = await stores.optOuts.addMany(clinicId, entries, actorOf(caller, requestId));
        return { body: { rows, added, widened, refused } };
      },
    }),
    route({
      method: 'delete',
      path: '/integrations/opt-outs/:optOutId',
      access: 'admin',
      tag,
      summary: 'Allow calls to a phone again',
      params: z.object({ optOutId: z.string() }),
      responses: { 204: { description: 'Taken off the list' }, 404: { description: 'No such entry of this clinic' } },
      async handle({ caller, params: { optOutId }, requestId }) {
        if (!(await stores.optOuts.remove(caller.clinicId, optOutId, actorOf(caller, requestId)))) {
          throw new AppError('not_found', `Opt-out ${optOutId} not found`);
        }
        return { status: 204 };
      },
    }),
  ];
}

/** A phone that people cannot be called at, whatever country it is read in. */
export const unreadablePhone = () =>
  new AppError('bad_request', 'phone cannot be read as a phone number', [
    { path: 'phone', message: 'cannot be read as a phone number, as (303) 555-0101 or +13035550101' },
  ]);

export const toOptOut = (
  { id, phone, scope, source, addedBy, createdAt }: OptOutRecord,
  names: ReadonlyMap<string, string>,
) =>
  OptOut.parse({
    id,
    phone,
    scope,
    source,
    addedBy,
    addedByName: names.get(addedBy) ?? null,
    createdAt: createdAt.toISOString(),
  });
