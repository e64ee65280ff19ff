import type { Accounts } from '@clinic/accounts/accounts';
import { WrongProof } from '@clinic/accounts/accounts';
import type { Stores } from '@clinic/prisma/stores';
import { AppError } from '@clinic/shared/errors';
import type { Limits } from '../../http/limits';
import { actorOf, type SessionCaller } from '../../http/route';

export type GuessCounter = ReturnType<typeof createGuessCounter>;

/** Slows down anyone who tries passwords in an open session, or tokens without one, as at the sign-in. */
export function createGuessCounter({
  accounts,
  limits,
  stores,
}: {
  accounts: Accounts;
  limits: Limits;
  stores: Pick<Stores, 'audit'>;
}) {
  /** Counts one attempt with the password of anyone who asks; a wrong one in a session of a clinic is in its audit. */
  const withPassword = async <T>(
    { caller, ip, requestId }: { caller: SessionCaller; ip: string; requestId: string },
    attempt: () => Promise<T>,
  ): Promise<T> => {
    const { accountId, clinicId } = caller;
    const signIn = { email: `account:${accountId}`, address: ip };
    await limits.countSignIn(signIn.email, ip);
    try {
      const result = await attempt();
      limits.signInEnded({ ...signIn, isRefused: false });
      return result;
    } catch (error) {
      if (!(error instanceof WrongProof)) {
        limits.signInLeft(signIn);
        throw error;
      }
      limits.signInEnded({ ...signIn, isRefused: true });
      if (clinicId) {
        const by = actorOf(caller, requestId);
        await stores.audit.write({ ...by, clinicId, action: 'password.refused', subject: accountId });
      }
      throw error;
    }
  };

  return {
    /** Counts one attempt with a link; one that finds none is a guess, of which nothing is stored. */
    async withLink<T>(ip: string, attempt: () => Promise<T>): Promise<T> {
      limits.countLink(ip);
      let isRefused = false;
      try {
        return await attempt();
      } catch (error) {
        isRefused = error instanceof AppError && error.code === 'not_found';
        throw error;
      } finally {
        limits.linkEnded({ address: ip, isRefused });
      }
    },
    withPassword,
    checkPassword: ({
      password,
      ...asked
    }: {
      caller: SessionCaller;
      password: string;
      ip: string;
      requestId: string;
    }) => withPassword(asked, () => accounts.checkPassword(asked.caller.accountId, password)),
  };
}
