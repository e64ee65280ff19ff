import { SANDBOX_TOKEN } from '@clinic/prisma/stores/sandbox/named-sandboxes';
import type { Stores } from '@clinic/prisma/stores';
import { clinicOfToken, SMART_TOKEN } from '@clinic/sandbox/tokens';

/** Each knows its own tokens alone, whatever they begin with. */
const stores = {
  sandboxClients: {
    ofToken: async (token: string) => (token.endsWith('of-a-client') ? { clinicId: 'clinic-of-client' } : null),
  },
  namedSandboxes: {
    ofToken: async (token: string) => (token.endsWith('of-a-sandbox') ? { sandboxId: 'named-sandbox' } : null),
  },
} as unknown as Stores;

test.each<[string, string, string | undefined]>([
  ['a client', `${SMART_TOKEN}of-a-client`, 'clinic-of-client'],
  ['no client', `${SMART_TOKEN}of-a-sandbox`, undefined],
  ['a named sandbox', `${SANDBOX_TOKEN}of-a-sandbox`, 'named-sandbox'],
  ['no named sandbox', `${SANDBOX_TOKEN}of-a-client`, undefined],
  ['a session', 'of-a-client', undefined],
  ['a session too', 'of-a-sandbox', undefined],
  ['nobody', '', undefined],
])('the token of %s opens the sandbox that is its own', async (_whose, token, clinicId) => {
  expect(await clinicOfToken(stores, token)).toBe(clinicId);
});
