import { agreed, did, isSaid, lastOf, saidWords } from '@clinic/shared/domain/outreach/conversation';
import {
  answeringSentence,
  openingSentence,
  recordedSentence,
  spokenNumber,
  voicemailSentence,
} from '@clinic/shared/domain/outreach/opening';
import { isOptedOut } from '@clinic/shared/domain/outreach/opt-out';
import { preferredHoursProblem, weekOf } from '@clinic/shared/domain/outreach/preferred-hours';

test('what a call did, and did last', () => {
  const call = { facts: ['booked', 'documented', 'cancelled', 'booked', 'escalated'] as const };

  expect([did(call, 'escalated'), did(call, 'registered', 'booked'), did(call, 'registered'), did(call)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(lastOf(call, 'cancelled', 'booked')).toBe('booked');
  expect(lastOf(call, 'cancelled')).toBe('cancelled');
  expect(lastOf(call, 'registered')).toBeUndefined();
});

test('only a patient who confirmed has agreed', () => {
  const patientsWords = saidWords.filter((word) => word !== 'voicemail');

  expect(patientsWords.filter((said) => agreed({ said }))).toEqual(['confirmed']);
  expect(agreed({ said: null })).toBe(false);
  expect([...saidWords, 'yes', '', null, 1].filter(isSaid)).toEqual([
    'confirmed',
    'rebooked',
    'declined',
    'callback',
    'escalated',
    'voicemail',
  ]);
});

test('what a call says by itself, in English unless the patient asked for Spanish', () => {
  expect(openingSentence('Alder')).toBe('Hello, this is an automated assistant calling for Alder.');
  expect(openingSentence('Alder', 'es')).toBe('Hola, soy un asistente automático y llamo de parte de Alder.');
  expect(recordedSentence()).toBe('This call is recorded.');
  expect(recordedSentence('es')).toBe('Esta llamada se graba.');
  expect(answeringSentence('Alder')).toBe('Hello, you have reached Alder. This is an automated assistant.');
  expect(voicemailSentence('Alder', null)).toBe('This is an automated message from Alder. Please call us back.');
  expect(voicemailSentence('Alder', '+15005550100')).toBe(
    'This is an automated message from Alder. Please call us back at 5 0 0, 5 5 5, 0 1 0 0.',
  );
  expect(voicemailSentence('Alder', null, 'es')).toBe('Este es un mensaje automático de Alder. Por favor, llámenos.');
  expect(voicemailSentence('Alder', '+34912345678', 'es')).toBe(
    'Este es un mensaje automático de Alder. Por favor, llámenos al 3 4 9, 1 2 3, 4 5 6, 7 8.',
  );
});

test.each([
  ['+15005550100', '5 0 0, 5 5 5, 0 1 0 0'],
  ['5005550100', '5 0 0, 5 5 5, 0 1 0 0'],
  ['+442079460000', '4 4 2, 0 7 9, 4 6 0, 0 0 0'],
  ['12', '1 2'],
  ['', ''],
])('%s is spoken in groups', (number, spoken) => {
  expect(spokenNumber(number)).toBe(spoken);
});

test.each([
  ['all', true, true],
  ['recovery_and_reminders', true, false],
  [null, false, false],
] as const)('an opt-out of %s forbids calls', (scope, recovery, payment) => {
  expect(isOptedOut(scope, 'abandonment-recovery')).toBe(recovery);
  expect(isOptedOut(scope, 'payment-recovery')).toBe(payment);
});

test.each([
  [null, null, false],
  ['17:00', null, true],
  [null, '09:00', true],
  ['09:00', '17:00', true],
  ['17:00', '09:00', false],
  ['09:00', '09:00', false],
])('hours from %s until %s can be asked for: %s', (from, until, isFine) => {
  expect(preferredHoursProblem({ from, until }) === null).toBe(isFine);
});

test('hours that a patient asked for are those of each day', () => {
  const week = (opens: string, closes: string) =>
    Object.fromEntries(
      ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'].map((day) => [
        day,
        [{ opens, closes }],
      ]),
    );

  expect(weekOf({ from: '17:00', until: null })).toEqual(week('17:00', '24:00'));
  expect(weekOf({ from: null, until: '09:00' })).toEqual(week('00:00', '09:00'));
});
