import { PhoneNumbersChange } from '@clinic/shared/contracts/settings';
import type { Stores } from '@clinic/prisma/stores';
import type { ClinicNumber } from '@clinic/prisma/stores/phone-numbers';
import { z } from 'zod';
import { actorOf, route, type Route } from '../../http/route';

const tag = 'Integrations: calling';

const PhoneNumber = z
  .object({
    number: z.string(),
    platformId: z.string().nullable().describe("The voice platform's id of the number"),
    assistantId: z.string().nullable().describe("The voice platform's assistant that answers it"),
  })
  .meta({ id: 'PhoneNumber' });
const PhoneNumbers = z.object({ items: z.array(PhoneNumber) });

/** The numbers that patients call: a call to one opens a new-patient journey of this clinic. */
export function phoneNumberRoutes({ stores }: { stores: Stores }): Route[] {
  return [
    route({
      method: 'get',
      path: '/integrations/phone-numbers',
      access: 'clinic',
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

const toNumber = ({ number, platformId, assistantId }: ClinicNumber) => ({ number, platformId, assistantId });
