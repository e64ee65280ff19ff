import { ClinicCountry, ClinicCountryChange } from '@clinic/shared/contracts/accounts/accounts';
import { storedCountry } from '../../clinic-country';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Accounts', access: 'api-key-or-clinic', right: 'settings', patientData: 'none' });

/** The country by which a clinic's phone numbers and dates are read. */
export const countryRoutes = [
  routes.get('/integrations/country', {
    right: 'settings.read',
    summary: 'The country of the clinic',
    description: 'Phone numbers and dates that name no country are read and written as in this one.',
    responses: { 200: { description: 'The country', schema: ClinicCountry } },
    handle: async ({ caller: { clinicId } }, deps) => ({ body: await shown(deps, clinicId) }),
  }),
  routes.put('/integrations/country', {
    summary: 'Set the country of the clinic',
    description:
      'From now on national phone numbers, `phi_phone` of events among them, and dates as 04/05/1952 are read as in this country, its public ' +
      'holidays are offered, and results are in its currency unless another one is chosen. What is on file stays. Other processes of ' +
      'the service follow within a minute.',
    body: ClinicCountryChange,
    responses: { 200: { description: 'The country as it is now', schema: ClinicCountry } },
    async handle({ caller: { clinicId }, body: { country }, by }, deps) {
      await deps.stores.clinics.setCountry(clinicId, country, by);
      deps.changes.announce({ table: 'clinics', clinicId: null, id: clinicId });
      return { body: await shown(deps, clinicId) };
    },
  }),
];

const shown = async ({ stores }: Deps<'stores'>, clinicId: string) => ({
  country: await storedCountry(stores, clinicId),
});
