import { createContext, type ReactNode, useContext } from 'react';
import type { Language } from '../language';

/** Who is signed in, for which clinic, and what the pages need to know of it. */
export interface SignedIn {
  accountId: string;
  name: string;
  email: string;
  role: 'admin' | 'staff';
  clinic: { id: string; name: string; timezone: string; voiceProvider: string; language: Language };
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

export const useIsAdmin = (): boolean => useContext(AccountContext)?.role === 'admin';
export const useZone = (): string => useAccount().clinic.timezone;
