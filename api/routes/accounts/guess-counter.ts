import type { Accounts } from '@clinic/accounts/accounts';
import { WrongPassword } from '@clinic/accounts/accounts';
import type { Stores } from '@clinic/prisma/stores';
import type { Actor } from '@clinic/prisma/stores/operations/audit';
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
  /** Counts one attempt; a wrong password in a session of a clinic is in its audit. */
  const count = async <T>(
    { who, ip, by }: { who: string; ip: string; by?: { clinicId: string | null; accountId: string; actor: Actor } },
    attempt: () => Promise<T>,
  ): Promise<T> => {
    await limits.countSignIn(who, ip);
    try {
      const result = await attempt();
      limits.signInLeft({ email: who, address: ip });
      return result;
    } catch (error) {
      if (error instanceof WrongPassword && by?.clinicId) {
        const { clinicId, accountId, actor } = by;
        await stores.audit.write({ ...actor, clinicId, action: 'password.refused', subject: accountId });
      }
      const isGuess = error instanceof WrongPassword || (error instanceof AppError && error.code === 'not_found');
      if (isGuess) limits.signInEnded({ email: who, address: ip, isRefused: true });
      else limits.signInLeft({ email: who, address: ip });
      throw error;
    }
  };

  /** Counts one attempt with the password of anyone who asks. */
  const withPassword = <T>(
    { caller, ip, requestId }: { caller: SessionCaller; ip: string; requestId: string },
    attempt: () => Promise<T>,
  ): Promise<T> => {
    const { accountId, clinicId } = caller;
    const by = { clinicId, accountId, actor: actorOf(caller, requestId) };
    return count({ who: `account:${accountId}`, ip, by }, attempt);
  };

  return {
    count,
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
