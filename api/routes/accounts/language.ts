import { ClinicLanguage, ClinicLanguageChange } from '@clinic/shared/contracts/accounts/accounts';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Accounts', access: 'api-key-or-clinic', right: 'settings', patientData: 'none' });

/** The language in which the dashboard greets the people of a clinic. */
export const languageRoutes = [
  routes.get('/integrations/language', {
    right: 'settings.read',
    summary: "The language of the clinic's dashboard",
    description: 'It is shown to those who have not chosen another one themselves.',
    responses: { 200: { description: 'The language', schema: ClinicLanguage } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({
      body: { language: await stores.clinics.language(clinicId) },
    }),
  }),
  routes.put('/integrations/language', {
    summary: "Choose the language of the clinic's dashboard",
    description:
      'Anyone who has chosen a language in their own browser keeps it. What the API itself says stays English, and what agents ' +
      'say in calls is not concerned.',
    body: ClinicLanguageChange,
    responses: { 200: { description: 'The language as it is now', schema: ClinicLanguage } },
    async handle({ caller: { clinicId }, body: { language }, by }, { stores, changes }) {
      await stores.clinics.setLanguage(clinicId, language, by);
      changes.announce({ table: 'clinics', clinicId: null, id: clinicId });
      return { body: { language: await stores.clinics.language(clinicId) } };
    },
  }),
];
