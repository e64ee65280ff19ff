import { type Role, roles } from './accounts';

/** Whoever has this value among those of the clinic's role claim has this role. */
export interface RoleRule {
  value: string;
  role: Role;
}

/** Why somebody whom the identity provider knows is not let in, and what they are told. */
export const signOnRefusals = {
  no_email: 'Your identity provider sent no e-mail address',
  email_not_verified: 'Your identity provider does not say that your e-mail address is verified',
  foreign_domain: 'Your e-mail address is not of a domain that this clinic signs in by single sign-on',
  other_clinic: 'There is an account with your e-mail address that is not of this clinic',
  another_person: 'The account with this e-mail address belongs to another person of your identity provider',
  disabled: 'Your account is disabled',
  no_role: 'Your identity provider gives you no role at this clinic',
  no_factor: 'This clinic requires a second factor, and your identity provider does not say that you used one',
  not_the_same: 'You signed in at your identity provider as somebody else',
  not_fresh: 'Your identity provider did not ask who you are: it must sign you in anew',
} as const;
export type SignOnRefusal = keyof typeof signOnRefusals;

/** The domain of an e-mail address, in lower case; null where it has none. */
export const domainOf = (email: string): string | null => /@([^@\s]+)$/.exec(email.toLowerCase())?.[1] ?? null;

/**
 * A claim by its name, or by a path of names as `realm_access.roles`, as a list of texts. Names may hold dots themselves: one that
 * is there as it stands is taken.
 */
export function valuesOf(claims: Readonly<Record<string, unknown>>, name: string): string[] {
  const found = Object.hasOwn(claims, name)
    ? claims[name]
    : name.split('.').reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), claims);
  return [found].flat().flatMap((value) => (isWord(value) ? [String(value)] : []));
}

/** The role that the first matching rule gives, else the default; null where there is neither. */
export function roleByRules(
  values: readonly string[],
  { roleRules, defaultRole }: { roleRules: readonly RoleRule[]; defaultRole: Role | null },
): Role | null {
  return roleRules.find(({ value }) => values.includes(value))?.role ?? defaultRole;
}

/** Whether an id token says that a second factor was used: `mfa` in `amr` (RFC 8176), or a value of `acr` that the clinic names. */
export const saysFactor = (claims: Readonly<Record<string, unknown>>, factorAcrs: readonly string[]): boolean =>
  valuesOf(claims, 'amr').includes('mfa') || valuesOf(claims, 'acr').some((acr) => factorAcrs.includes(acr));

/** A role of rules as it is stored; what is not known is null. */
export const roleOrNull = (stored: string | null): Role | null => roles.find((role) => role === stored) ?? null;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isWord = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
