import {
  CallingPolicySettings,
  CallingPolicyView,
  ImportedOptOuts,
  ImportOptOuts,
  LiftedOptOut,
  ListedOptOut,
  ListOptOuts,
  NewOptOut,
  OptOut,
} from '@clinic/shared/contracts/outreach/calling-policy';
import { readPhone } from '@clinic/shared/domain/patients/phone';
import { exampleOfPhone } from '@clinic/shared/domain/patients/phone-example';
import { AppError } from '@clinic/shared/errors';
import type { OptOutRecord } from '@clinic/prisma/stores/outreach/opt-outs';
import { z } from 'zod';
import { mapPage } from '../../http/list-route';
import { optOutHeader, optOutRows, readOptOuts } from './opt-out-csv';
import type { Deps } from '../../http/route';
import { staffNames } from '../accounts/staff-names';
import { routesOf } from '../../http/routes-of';
import { storedCountry } from '../../clinic-country';

const routes = routesOf({ tag: 'Integrations: calling', access: 'clinic', right: 'settings' });

/** When and how often patients are called, and whom never. */
export const callingPolicyRoutes = [
  routes.get('/integrations/recovery-policy', {
    right: 'settings.read',
    patientData: 'none',
    summary: "When and how often patients are called; hours are the clinic's wall clock",
    description: 'null stands for no limit. Whom it would call now is said by `GET /calling-policy/preview`.',
    responses: { 200: { description: 'The policy', schema: CallingPolicyView } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({ body: await stores.clinics.policy(clinicId) }),
  }),
  routes.put('/integrations/recovery-policy', {
    summary: 'Change when and how often patients are called; what waits for a call decides by it at once',
    description: 'Fields that may be left out stay as they are. Try it before at `POST /calling-policy/preview`.',
    body: CallingPolicySettings,
    responses: { 200: { description: 'The policy as it is now', schema: CallingPolicyView } },
    async handle({ caller: { clinicId }, body, by }, { stores }) {
      await stores.clinics.setPolicy(clinicId, body, by);
      return { body: await stores.clinics.policy(clinicId) };
    },
  }),
  routes.list('/integrations/opt-outs', {
    right: 'patients.read',
    patientData: { action: 'opt-out.list' },
    summary: 'Phones that are never called, with who has them, newest first',
    description:
      '`phone` finds one, `search` those of a name or a part of a number. `scope` says what it is not called about.',
    query: ListOptOuts,
    item: ListedOptOut,
    items: 'phones',
    async read({ caller: { clinicId }, query }, { stores }) {
      const phone = query.phone && (readPhone(query.phone, await storedCountry(stores, clinicId)) ?? query.phone);
      const asked = { ...query, phone };
      const [page, names] = await Promise.all([stores.optOuts.list(clinicId, asked), staffNames(stores, clinicId)]);
      return {
        ...mapPage(page, (record) => ({ ...toOptOut(record, names), patients: record.patients })),
        subjects: page.items.flatMap(({ patients }) => patients.map(({ id }) => id)),
      };
    },
  }),
  routes.post('/integrations/opt-outs', {
    right: 'patients',
    summary: 'Never call a phone again; one that is on the list stays on it',
    description: "The phone is read as people write it, without a country code as one of the clinic's country.",
    body: NewOptOut,
    isIdempotent: true,
    responses: { 200: { description: 'The entry', schema: OptOut } },
    async handle({ caller: { clinicId }, body: { phone: written, scope }, by }, { stores }) {
      const country = await storedCountry(stores, clinicId);
      const phone = readPhone(written, country);
      if (phone === null) throw unreadablePhone(country);
      const added = await stores.optOuts.add(clinicId, phone, by, { scope });
      return { body: toOptOut(added, await staffNames(stores, clinicId)) };
    },
  }),
  routes.get('/integrations/opt-outs/export', {
    stepUp: 'records',
    right: 'exports',
    patientData: { action: 'opt-out.export' },
    summary: 'All opt-outs as CSV, newest first, in the form that an import takes',
    description: 'Sent page by page as it is read: the whole list, whatever its length.',
    responses: {
      200: {
        description: 'phone,scope,source,addedBy,createdAt',
        schema: z.string(),
        type: 'text/csv',
        example:
          'phone,scope,source,addedBy,createdAt\n+13035550101,all,import,account:account-1,2026-12-01T16:00:00.000Z\n',
      },
    },
    handle: ({ caller: { clinicId } }, { stores }) => ({
      type: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': 'attachment; filename="opt-outs.csv"' },
      stream: exported({ stores }, clinicId),
    }),
  }),
  routes.post('/integrations/opt-outs/import', {
    right: 'operations',
    summary: 'Never call the phones of a CSV file again',
    description:
      'A header with `phone`, and `scope` (`all` unless given) and `createdAt` (now unless given) where they are known; other columns are ignored, so an export can be imported. Rows that can be read are taken; the rest are listed by their line. With `preview` nothing is taken.',
    query: ImportOptOuts,
    body: z.string(),
    consumes: ['text/csv'],
    limit: '2mb',
    responses: { 200: { description: 'What became of the rows', schema: ImportedOptOuts } },
    async handle({ caller: { clinicId }, query: { preview }, body, by }, { stores }) {
      const { rows, entries, refused } = readOptOuts(body, await storedCountry(stores, clinicId));
      const { added, widened } = preview
        ? await stores.optOuts.wouldAdd(clinicId, entries)
        : await stores.optOuts.addMany(clinicId, entries, by);
      return { body: { rows, added, widened, refused } };
    },
  }),
  routes.delete('/integrations/opt-outs/:optOutId', {
    right: 'patients',
    summary: 'Allow calls to a phone again',
    description:
      'It is in the audit with who did it, and why where that is said. Open workflows may call the phone again.',
    query: LiftedOptOut.partial(),
    responses: { 204: { description: 'Taken off the list' }, 404: { description: 'No such entry of this clinic' } },
    async handle({ caller: { clinicId }, params: { optOutId }, query: { reason }, by }, { stores }) {
      if (!(await stores.optOuts.remove(clinicId, { id: optOutId, reason }, by))) {
        throw new AppError('not_found', `Opt-out ${optOutId} not found`);
      }
      return { status: 204 };
    },
  }),
];

/** Page by page, so that a long list is never in memory as a whole. */
async function* exported({ stores }: Deps<'stores'>, clinicId: string): AsyncGenerator<string> {
  yield optOutHeader();
  let cursor: string | undefined;
  do {
    const page = await stores.optOuts.list(clinicId, { limit: 1_000, cursor });
    if (page.items.length > 0) yield optOutRows(page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** A phone that people cannot be called at, whatever country it is read in. */
export const unreadablePhone = (country: string) =>
  new AppError('bad_request', 'phone cannot be read as a phone number', [
    { path: 'phone', message: `cannot be read as a phone number, as ${exampleOfPhone(country)}` },
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
