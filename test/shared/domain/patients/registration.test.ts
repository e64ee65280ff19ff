import { missingFields, registrationFields, registrationStatus } from '@clinic/shared/domain/patients/registration';

const complete = {
  firstName: 'Ada',
  lastName: 'Byron',
  phone: '+15005550001',
  email: 'ada@example.org',
  preferredLocation: 'Downtown',
  medicareStatus: 'none',
  healthPlanName: 'Acme Health',
  referralSource: 'a friend',
  commsConsent: true,
};

test('a patient with every field on file is complete', () => {
  expect(missingFields(complete)).toEqual([]);
  expect(registrationStatus(complete)).toBe('COMPLETE');
});

test('consent that was refused has been given', () => {
  expect(registrationStatus({ ...complete, commsConsent: false })).toBe('COMPLETE');
});

test.each(registrationFields)('without %s there is something to do', (field) => {
  for (const value of [undefined, null]) {
    expect(missingFields({ ...complete, [field]: value })).toEqual([field]);
    expect(registrationStatus({ ...complete, [field]: value })).toBe('ACTION_REQUIRED');
  }
});

test('a blank answer is none', () => {
  expect(missingFields({ ...complete, email: '', healthPlanName: '  ' })).toEqual(['email', 'healthPlanName']);
});

test('nothing on file lacks everything, in the order it is asked', () => {
  expect(missingFields({})).toEqual([...registrationFields]);
});
