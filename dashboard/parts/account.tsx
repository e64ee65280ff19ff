import { createContext, type ReactNode, useContext } from 'react';
import type * as api from '#api';
import { t } from '#texts';
import type { Language } from '../language';

export type Role = api.Role;
export type AccountRole = api.AccountRole;
export type Right = api.Right;

export const roleNames: Record<AccountRole, string> = {
  admin: t`Administrator`,
  manager: t`Manager`,
  staff: t`Front desk`,
  auditor: t`Auditor`,
  operator: t`Operator`,
};

/** Who is signed in, for which clinic (an operator: for all of them), and what the pages need to know of it. */
export interface SignedIn {
  accountId: string;
  name: string;
  email: string;
  role: AccountRole;
  /** What the role opens. */
  rights: readonly Right[];
  clinic: {
    id: string;
    name: string;
    timezone: string;
    country: string;
    /** Of the prices in forms, as USD. */
    currency: string;
    isMonthFirst: boolean;
    voiceProvider: string;
    language: Language;
  };
  baseUrl: string;
  /** Where Temporal's UI shows workflows, ending in `/workflows`. */
  temporalWorkflowsUrl: string;
}

const AccountContext = createContext<SignedIn | null>(null);

export const AccountProvider = ({ account, children }: { account: SignedIn; children: ReactNode }) => (
  <AccountContext value={account}>{children}</AccountContext>
);

export function useAccount(): SignedIn {
  const account = useContext(AccountContext);
  if (!account) throw new Error('useAccount is for pages of somebody who is signed in');
  return account;
}

/** Asks whether the account may do what a right opens. */
export function useMay(): (right: Right) => boolean {
  const account = useContext(AccountContext);
  return (right) => account?.rights.includes(right) === true;
}

export const useIsAdmin = (): boolean => useContext(AccountContext)?.role === 'admin';
export const useZone = (): string => useAccount().clinic.timezone;
