import { PhoneNumbers, PhoneNumbersChange } from '@clinic/shared/contracts/voice/phone-numbers';
import type { ClinicNumber } from '@clinic/prisma/stores/voice/phone-numbers';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({
  tag: 'Integrations: calling',
  access: 'api-key-or-clinic',
  right: 'settings',
  patientData: 'none',
});

/** The numbers that patients call: a call to one opens a new-patient journey of this clinic. */
export const phoneNumberRoutes = [
  routes.get('/integrations/phone-numbers', {
    right: 'settings.read',
    summary: "The clinic's phone numbers",
    description:
      'Those that patients call: a call to one opens a new-patient journey. `awaitsOperator` stands at a number on which no call is taken yet.',
    responses: { 200: { description: 'The numbers', schema: PhoneNumbers } },
    handle: async ({ caller: { clinicId } }, { stores }) => ({
      body: { items: (await stores.phoneNumbers.list(clinicId)).map(toNumber) },
    }),
  }),
  routes.put('/integrations/phone-numbers', {
    summary: "Make these the clinic's phone numbers",
    description: 'Replaces the whole list: a number that is left out is answered no more. With 409 nothing is changed.',
    body: PhoneNumbersChange,
    responses: {
      200: { description: 'The numbers as they are now', schema: PhoneNumbers },
      409: { description: 'A number or its platformId is in use already' },
    },
    async handle({ caller: { clinicId }, body: { items }, by }, { stores }) {
      const numbers = await stores.phoneNumbers.replace(clinicId, items, by);
      return { body: { items: numbers.map(toNumber) } };
    },
  }),
];

const toNumber = ({ number, platformId, assistantId, isConfirmed }: ClinicNumber) => ({
  number,
  platformId,
  assistantId,
  ...(!isConfirmed && { awaitsOperator: true }),
});
