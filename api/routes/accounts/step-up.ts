import type { Proof } from '@clinic/accounts/accounts';
import { SignedOut, StepUp, StepUpState } from '@clinic/shared/contracts/accounts/accounts';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({
  tag: 'Accounts',
  access: 'session',
  right: null,
  isOpenWithoutSecondFactor: true,
  patientData: 'none',
});

/** A proof, in an open session, of who is behind it. */
export const stepUpRoutes = [
  routes.get('/auth/step-up', {
    summary: 'By what the account proves who it is once more',
    description:
      'A password counts for an account without a second factor alone, and in no session that single sign-on opened.',
    responses: { 200: { description: 'What counts', schema: StepUpState } },
    async handle({ caller: { accountId, sessionId } }, { accounts }) {
      return { body: { by: await accounts.stepUpBy({ accountId, sessionId }) } };
    },
  }),
  routes.post('/auth/step-up', {
    summary: 'Prove once more who you are; the session then counts as fresh for five minutes',
    description:
      'What is 403 with `details` at `stepUp` asks for it. A passkey signs a challenge of `POST /auth/sign-in/passkey/options`. A wrong proof is 400 with `details` at its field, and counts as a failed sign-in.',
    body: StepUp,
    responses: {
      200: { description: 'The session is fresh', schema: SignedOut },
      429: { description: 'Too many wrong ones' },
    },
    async handle({ caller, body, requestId, by, ip }, { accounts, guesses }) {
      const { accountId, clinicId, sessionId } = caller;
      const proof: Proof = 'passkey' in body ? { passkey: { ...body.passkey, clientExtensionResults: {} } } : body;
      await guesses.withPassword({ caller, ip, requestId }, () =>
        accounts.stepUp({ accountId, clinicId, sessionId, proof }, by),
      );
      return { body: { success: true } };
    },
  }),
];
