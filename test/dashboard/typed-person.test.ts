import { type TypedPerson, typedPerson } from '../../dashboard/pages/patients/typed-person';

const nobody: TypedPerson = { firstName: '', lastName: '', phone: '', email: '', dateOfBirth: '' };

test.each<[typed: string, person: Partial<TypedPerson>]>([
  ['', {}],
  ['wendy', { firstName: 'Wendy' }],
  ['wendy ivanov', { firstName: 'Wendy', lastName: 'Ivanov' }],
  ['Ana Maria de Souza', { firstName: 'Ana Maria De', lastName: 'Souza' }],
  ['Ivanov, Wendy', { firstName: 'Wendy', lastName: 'Ivanov' }],
  ['McLean', { firstName: 'McLean' }],
  ['wendy ivanov 303 555 0142', { firstName: 'Wendy', lastName: 'Ivanov', phone: '303 555 0142' }],
  ['+1 (303) 555-0142', { phone: '+1 (303) 555-0142' }],
  ['wendy wendy@example.com ivanov', { firstName: 'Wendy', lastName: 'Ivanov', email: 'wendy@example.com' }],
  ['ivanov 1980-02-29', { firstName: 'Ivanov', dateOfBirth: '1980-02-29' }],
  ['1980-02-29, ivanov', { firstName: 'Ivanov', dateOfBirth: '1980-02-29' }],
  [
    'wendy ivanov 1980-02-29 303 555 0142',
    { firstName: 'Wendy', lastName: 'Ivanov', phone: '303 555 0142', dateOfBirth: '1980-02-29' },
  ],
  ['wendy 12/3 ivanov2', { firstName: 'Wendy' }],
])('%j is a person of whom is known %j', (typed, person) => {
  expect(typedPerson(typed)).toEqual({ ...nobody, ...person });
});
