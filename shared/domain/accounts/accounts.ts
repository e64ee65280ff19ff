/** What an account may do: an admin changes settings and accounts too. */
export const roles = ['admin', 'staff'] as const;
export type Role = (typeof roles)[number];

/** What a link is for by which a person sets a password. */
export const accountLinkKinds = ['invitation', 'reset'] as const;
export type AccountLinkKind = (typeof accountLinkKinds)[number];

/** A person, or a client that proved who it is by its key, as records name them. */
export const accountOf = ({ accountId, clientId }: { accountId: string; clientId?: string }): string =>
  clientId === undefined ? `account:${accountId}` : `client:${clientId}`;
