/** What a person is to the clinic, which decides what the account may do (rights.ts); `staff` is the front desk. */
export const roles = ['admin', 'manager', 'staff', 'auditor'] as const;
export type Role = (typeof roles)[number];

/** What an account may be; `operator` runs the service for all clinics, belongs to none, and sees no patient. */
export const accountRoles = [...roles, 'operator'] as const;
export type AccountRole = (typeof accountRoles)[number];

/** A role in a clinic as it is stored; what is not known is staff. */
export const toRole = (stored: string | null): Role => roles.find((role) => role === stored) ?? 'staff';

/** The same of an account that may be an operator's. */
export const toAccountRole = (stored: string | null): AccountRole => (stored === 'operator' ? stored : toRole(stored));

/** What a link is for by which a person sets a password. */
export const accountLinkKinds = ['invitation', 'reset'] as const;
export type AccountLinkKind = (typeof accountLinkKinds)[number];

/** A person, or a client that proved who it is by its key, as records name them. */
export const accountOf = ({ accountId, clientId }: { accountId: string; clientId?: string }): string =>
  clientId === undefined ? `account:${accountId}` : `client:${clientId}`;
