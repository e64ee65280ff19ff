import { formOf, subjectOf } from '@clinic/activities/call-subject';

const zone = 'America/Denver';
const now = '2026-03-02T17:00:00.000Z';

test('an appointment is named with its time in the clinic’s zone, its provider and its type', () => {
  const appointment = {
    appointmentId: 'visit-1',
    startsAt: '2026-03-03T16:30:00.000Z',
    providerName: 'Dr.Chen',
    visitType: 'Annual physical',
  };

  const subject = subjectOf({ appointment }, zone, now);

  expect(subject).toMatchObject({ appointmentProvider: 'Dr.Chen', visitType: 'Annual physical' });
  expect(subject.appointmentTime).toMatch(/9:30 AM/);
});

test.each([
  [{ amountCents: 12_005, currency: 'USD' }, '120.05 USD'],
  [{ amountCents: 900 }, '9.00'],
  [{ amountCents: 0, currency: 'USD' }, '0.00 USD'],
])('a payment of %j is said as %s', (payment, amount) => {
  expect(subjectOf({ payment: { paymentId: 'pay-1', ...payment } }, zone, now)).toEqual({ paymentAmount: amount });
});

test('what is not known leaves no empty variable behind', () => {
  expect(subjectOf({}, zone, now)).toEqual({});
  expect(subjectOf({ payment: { paymentId: 'pay-1', failureReason: 'card_declined' } }, zone, now)).toEqual({
    paymentFailure: 'card_declined',
  });
  expect(subjectOf({ followUp: { note: '' } }, zone, now)).toEqual({});
});

test('a prescription carries its status and the one before', () => {
  const prescription = {
    prescriptionId: 'rx-1',
    medicationName: 'Amoxicillin',
    status: 'ready',
    previousStatus: 'delayed',
  };

  expect(subjectOf({ prescription }, zone, now)).toEqual({
    medicationName: 'Amoxicillin',
    prescriptionStatus: 'ready',
    previousPrescriptionStatus: 'delayed',
  });
});

test('a follow-up carries its note and the day by which it is due, in the clinic’s zone', () => {
  // It is still the 9th in Denver.
  const followUp = { dueBy: '2026-03-10T03:00:00.000Z', note: 'blood pressure' };

  const subject = subjectOf({ followUp }, zone, now);

  expect(subject.followUpNote).toBe('blood pressure');
  expect(subject.followUpDue).toMatch(/March 9/);
});

test('a follow-up that is due by a day is due by that day wherever the clinic is', () => {
  expect(subjectOf({ followUp: { dueBy: '2026-03-10' } }, zone, now)).toEqual({ followUpDue: 'Tuesday, March 10' });
});

test('an unfinished form says how far the patient had come, and what was chosen', () => {
  const form = {
    formName: 'New patient intake',
    lastPageReached: 3,
    totalPages: 5,
    completionPercentage: 59.6,
    abandonedAtCheckout: true,
    selectedProducts: [
      { productName: 'Consultation', unitPrice: 49 },
      { productName: 'Lab panel', unitPrice: 120.5 },
    ],
  };

  expect(formOf(form)).toEqual({
    formName: 'New patient intake',
    lastPage: '3',
    totalPages: '5',
    percentComplete: '60',
    stoppedAtCheckout: 'yes',
    products: 'Consultation at 49.00, Lab panel at 120.50',
  });
  const unknown = { formName: null, lastPageReached: null, totalPages: null, completionPercentage: null };
  expect(formOf({ ...unknown, abandonedAtCheckout: null, selectedProducts: null })).toEqual({});
  expect(formOf(null)).toEqual({});
});
