import { PhoneNumbers, PhoneNumbersChange } from '@clinic/shared/contracts/phone-numbers';
import type { ClinicNumber } from '@clinic/prisma/stores/phone-numbers';
import { actorOf, route, type Route } from '../../http/route';
import type { RouteDeps } from '../../route-deps';

const tag = 'Integrations: calling';

/** The numbers that patients call: a call to one opens a new-patient journey of this clinic. */
export function phoneNumberRoutes({ stores }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/integrations/phone-numbers',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: "The clinic's phone numbers",
      responses: { 200: { description: 'The numbers', schema: PhoneNumbers } },
      handle: async ({ caller }) => ({
        body: { items: (await stores.phoneNumbers.list(caller.clinicId)).map(toNumber) },
      }),
    }),
    route({
      method: 'put',
      path: '/integrations/phone-numbers',
      access: 'admin',
      tag,
      summary: "Make these the clinic's phone numbers",
      body: PhoneNumbersChange,
      responses: {
        200: { description: 'The numbers as they are now', schema: PhoneNumbers },
        409: { description: 'A number or its platformId is in use already' },
      },
      async handle({ caller, body: { items }, requestId }) {
        const numbers = await stores.phoneNumbers.replace(caller.clinicId, items, actorOf(caller, requestId));
        return { body: { items: numbers.map(toNumber) } };
      },
    }),
  ];
}

const toNumber = ({ number, platformId, assistantId, isConfirmed }: ClinicNumber) => ({
  number,
  platformId,
  assistantId,
  ...(!isConfirmed && { awaitsOperator: true }),
});
