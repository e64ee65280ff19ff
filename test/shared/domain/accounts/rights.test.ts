import { accountOf, toAccountRole, toRole } from '@clinic/shared/domain/accounts/accounts';
import {
  rightNames,
  rightsOfRole,
  rightsOfScope,
  roleHas,
  rolesWith,
  scopesHave,
  scopesWith,
  usualScopes,
} from '@clinic/shared/domain/accounts/rights';
import { rightOfList } from '@clinic/shared/domain/accounts/saved-view';
import { domainOf, roleByRules, roleOrNull, saysFactor, valuesOf } from '@clinic/shared/domain/accounts/single-sign-on';

const frontDesk =
  'dashboard patients.read patients appointments.read appointments workflows tasks deliveries settings.read';

test.each([
  ['admin', rightNames.filter((right) => right !== 'events').join(' ')],
  ['manager', `${frontDesk} results exports`],
  ['staff', frontDesk],
  ['auditor', 'dashboard audit'],
  ['operator', ''],
] as const)('an account that is %s has its rights and no other', (role, names) => {
  expect(rightsOfRole[role].join(' ')).toBe(names);
  expect(rightNames.filter((right) => roleHas(role, right)).toSorted()).toEqual(
    names.split(' ').filter(Boolean).toSorted(),
  );
});

test('a key has what its scopes are for: one that writes reads too', () => {
  expect(rightsOfScope).toEqual({
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
  });
  expect(usualScopes).toEqual(['workflows', 'patients', 'appointments']);
  expect(rightNames.filter((right) => scopesHave(['results', 'patients'], right))).toEqual([
    'patients.read',
    'patients',
    'results',
  ]);
  expect(scopesHave([], 'results')).toBe(false);
});

test('who has a right is named, the least scope first', () => {
  expect([rolesWith('patients.read'), rolesWith('audit'), rolesWith('events')]).toEqual([
    ['admin', 'manager', 'staff'],
    ['admin', 'auditor'],
    [],
  ]);
  expect([scopesWith('patients.read'), scopesWith('patients'), scopesWith('audit')]).toEqual([
    ['patients.read', 'patients'],
    ['patients'],
    [],
  ]);
});

test('saved views are for those who may see the list', () => {
  expect(rightOfList).toEqual({
    cases: 'workflows',
    calls: 'workflows',
    queue: 'workflows',
    tasks: 'tasks',
    patients: 'patients.read',
    runs: 'workflows',
    deliveries: 'deliveries',
    audit: 'audit',
  });
});

test('a stored role that is not known is the front desk, and none by the rules of single sign-on', () => {
  const stored = ['admin', 'manager', 'staff', 'auditor', 'operator', '', null];

  expect(stored.map(toRole)).toEqual(['admin', 'manager', 'staff', 'auditor', 'staff', 'staff', 'staff']);
  expect(stored.map(toAccountRole)).toEqual(['admin', 'manager', 'staff', 'auditor', 'operator', 'staff', 'staff']);
  expect(stored.map(roleOrNull)).toEqual(['admin', 'manager', 'staff', 'auditor', null, null, null]);
});

test('who did it is named as an account, or as the client that acted by itself', () => {
  expect(accountOf({ accountId: 'a1' })).toBe('account:a1');
  expect(accountOf({ accountId: 'a1', clientId: 'c1' })).toBe('client:c1');
});

test.each([
  ['Ana@Alder.Example', 'alder.example'],
  ['"a@b"@alder.example', 'alder.example'],
  ['alder.example', null],
  ['ana@', null],
  ['ana@alder example', null],
])('the domain of %s is %s', (email, domain) => {
  expect(domainOf(email)).toBe(domain);
});

const claims = {
  groups: ['front', 'desk'],
  role: 'admin',
  level: 3,
  isOn: false,
  nothing: null,
  realm_access: { roles: ['manager'], inner: { roles: ['deep'] } },
  'https://alder.example/roles': ['auditor'],
  mixed: ['one', null, { two: 2 }, 4],
};

test.each([
  ['groups', ['front', 'desk']],
  ['role', ['admin']],
  ['level', ['3']],
  ['isOn', ['false']],
  ['nothing', []],
  ['nothing.roles', []],
  ['role.length', []],
  ['realm_access', []],
  ['realm_access.roles', ['manager']],
  ['realm_access.inner.roles', ['deep']],
  ['https://alder.example/roles', ['auditor']],
  ['mixed', ['one', '4']],
  ['unknown', []],
])('the claim %s holds %j', (name, values) => {
  expect(valuesOf(claims, name)).toEqual(values);
});

test('the first rule that fits gives the role, else the default', () => {
  const roleRules = [
    { value: 'boss', role: 'admin' },
    { value: 'desk', role: 'staff' },
    { value: 'front', role: 'manager' },
  ] as const;

  expect(roleByRules(['front', 'desk'], { roleRules, defaultRole: 'auditor' })).toBe('staff');
  expect(roleByRules(['other'], { roleRules, defaultRole: 'auditor' })).toBe('auditor');
  expect(roleByRules([], { roleRules, defaultRole: null })).toBeNull();
});

test.each([
  ['mfa among the methods', { amr: ['pwd', 'mfa'] }, [], true],
  ['another method', { amr: ['pwd'] }, [], false],
  ['a class that the clinic names', { acr: 'gold' }, ['gold'], true],
  ['another class', { acr: 'silver' }, ['gold'], false],
  ['mfa as a class that nobody named', { acr: 'mfa' }, [], false],
  ['nothing', {}, ['gold'], false],
])('a second factor was used, says a token with %s: %s', (_what, told, acrs, expected) => {
  expect(saysFactor(told, acrs)).toBe(expected);
});
