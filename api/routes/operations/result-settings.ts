import { ResultSettings, ResultSettingsChange } from '@clinic/shared/contracts/operations/results';
import { currencyOf } from '@clinic/shared/currency';
import type { z } from 'zod';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Results', access: 'api-key-or-clinic', right: 'settings', patientData: 'none' });

/** In which currency results are counted, and what the clinic wants to reach. */
export const resultSettingRoutes = [
  routes.get('/integrations/results', {
    right: 'settings.read',
    summary: 'The currency of the results, and what the clinic wants to reach',
    description: 'Without a currency of its own it is that of the clinic’s country.',
    responses: { 200: { description: 'The settings', schema: ResultSettings } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({ body: await show({ stores }, clinicId) }),
  }),
  routes.put('/integrations/results', {
    summary: 'Choose the currency of the results, and what the clinic wants to reach',
    description: 'What calls cost is known in US dollars: in another currency it is counted once `usdRate` is known.',
    body: ResultSettingsChange,
    responses: { 200: { description: 'The settings as they are now', schema: ResultSettings } },
    async handle({ caller: { clinicId }, body, by }, { stores, changes }) {
      await stores.results.setSettings(clinicId, body, by);
      changes.announce({ table: 'clinics', clinicId: null, id: clinicId });
      return { body: await show({ stores }, clinicId) };
    },
  }),
];

async function show({ stores }: Deps<'stores'>, clinicId: string): Promise<z.infer<typeof ResultSettings>> {
  const { country, ...settings } = await stores.results.settings(clinicId);
  return { ...settings, ownCurrency: currencyOf(country) };
}
