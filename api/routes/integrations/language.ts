import { ClinicLanguage, ClinicLanguageChange } from '@clinic/shared/contracts/accounts';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';

const tag = 'Accounts';

/** The language in which the dashboard greets the people of a clinic. */
export function languageRoutes({ stores, changes }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/integrations/language',
      access: 'clinic',
      tag,
      summary: "The language of the clinic's dashboard",
      patientData: 'none',
      responses: { 200: { description: 'The language', schema: ClinicLanguage } },
      handle: async ({ caller }) => ({ body: { language: await stores.clinics.language(caller.clinicId) } }),
    }),
    route({
      method: 'put',
      path: '/integrations/language',
      access: 'admin',
      tag,
      summary: "Choose the language of the clinic's dashboard",
      description:
        'Whoever has chosen a language in their own browser keeps it. What the API itself says stays English, and what agents ' +
        'say in calls is not concerned.',
      body: ClinicLanguageChange,
      responses: { 200: { description: 'The language as it is now', schema: ClinicLanguage } },
      async handle({ caller, body: { language }, requestId }) {
        const { clinicId } = caller;
        await stores.clinics.setLanguage(clinicId, language, actorOf(caller, requestId));
        changes.announce({ table: 'clinics', clinicId: null, id: clinicId });
        return { body: { language: await stores.clinics.language(clinicId) } };
      },
    }),
  ];
}
