import { type AccountRole, type Role, roles } from './accounts';

/**
 * What a route may ask for, and what that opens. The one closed set: routes name them, roles and the scopes of API keys have them.
 * Reading stands apart only where somebody needs no more than that.
 */
export const rights = {
  dashboard: 'sign in to the dashboard: saved views, names of colleagues, finding a record by its id, news of changes',
  'patients.read': 'see records of patients and opt-outs',
  patients: 'make and change records of patients, note and lift opt-outs, decide on proposed changes',
  'appointments.read': 'see open times, appointments, calendars and the waitlist',
  appointments: 'book, move and cancel appointments, and change the waitlist',
  workflows: 'see what happens today: runs, cases, calls, the queue; start and cancel single workflows',
  tasks: 'see tasks and work on them',
  deliveries: 'see outbound events and where they go, and send single ones again',
  results: 'see and export results',
  exports: 'export the record of a patient, and the opt-outs',
  privacy: 'erase patients and hold records for legal reasons',
  operations: 'pause calls, work on many records at once, import opt-outs, book against the rules',
  events: 'send events in',
  sandbox: 'use the sandbox: its clock, failures, clients, validation runs and scenes',
  'settings.read': 'see how the clinic works and what it is connected to, never a secret',
  settings: 'change how the clinic works and what it is connected to',
  keys: 'make and revoke keys and secrets',
  people: 'manage accounts and their roles',
  audit: 'see and export who read and changed what',
} as const;
export type Right = keyof typeof rights;
export const rightNames = Object.keys(rights) as Right[];

/** At the front desk: patients, calendar, calls, tasks, and the hours and rules by which they go. */
const frontDesk: readonly Right[] = [
  'dashboard',
  'patients.read',
  'patients',
  'appointments.read',
  'appointments',
  'workflows',
  'tasks',
  'deliveries',
  'settings.read',
];

export const rightsOfRole: Record<AccountRole, readonly Right[]> = {
  // Events come from systems, not from people.
  admin: rightNames.filter((right) => right !== 'events'),
  manager: [...frontDesk, 'results', 'exports'],
  staff: frontDesk,
  auditor: ['dashboard', 'audit'],
  // Of no clinic: what it sees has an access of its own.
  operator: [],
};

/** What an API key may be for; one that writes reads too. */
export const rightsOfScope = {
  events: ['events'],
  workflows: ['workflows'],
  'patients.read': ['patients.read'],
  patients: ['patients.read', 'patients'],
  'appointments.read': ['appointments.read'],
  appointments: ['appointments.read', 'appointments'],
  deliveries: ['deliveries'],
  results: ['results'],
  settings: ['settings.read', 'settings'],
  sandbox: ['sandbox'],
} as const satisfies Record<string, readonly Right[]>;
export type Scope = keyof typeof rightsOfScope;
export const scopes = Object.keys(rightsOfScope) as [Scope, ...Scope[]];

/** Of a key that names none: what the workflow REST API of the contract is called with. */
export const usualScopes = ['workflows', 'patients', 'appointments'] as const satisfies readonly Scope[];

export const roleHas = (role: AccountRole, right: Right): boolean => rightsOfRole[role].includes(right);

export const scopesHave = (granted: readonly Scope[], right: Right): boolean =>
  granted.some((scope) => scopeHas(scope, right));

const scopeHas = (scope: Scope, right: Right): boolean => (rightsOfScope[scope] as readonly Right[]).includes(right);

export const rolesWith = (right: Right): Role[] => roles.filter((role) => roleHas(role, right));

/** The least first. */
export const scopesWith = (right: Right): Scope[] => scopes.filter((scope) => scopeHas(scope, right));
