import {
  FormsAbandoned,
  FormsCompleted,
  PatientFollowUpRequired,
} from '@clinic/shared/contracts/events/inbound-events';
import type { z } from 'zod';
import { takes } from '../../support/schemas';

const abandoned = {
  tenant_id: 't',
  data: {
    session_id: 's',
    form_id: 'f',
    form_name: 'n',
    last_page_reached: 1,
    total_pages: 2,
    completion_percentage: 50,
    last_activity_at: '2026-11-24T17:30:00Z',
    draft_age_hours: 1,
    abandoned_at: '2026-11-24T17:30:00Z',
  },
};
const form = (over: object) => ({ ...abandoned, data: { ...abandoned.data, ...over } });
const told = (partial: object) => form({ partial_form_data: partial });
const completed = (over: object) => ({ data: { session_id: 's' }, ...over });
const followUp = (patientOver: object) => ({
  event: 'patient.follow_up_required',
  tenant_id: 't',
  data: {
    event_id: 'e',
    patient: { phi_first_name: '', phi_last_name: '', phi_phone: '', phi_date_of_birth: null, ...patientOver },
    follow_up: { reason: 'care_gap' },
  },
});
const product = { productName: 'p', unitPrice: 1 };

test('a form is resumed at a web address or in an app, and by nothing that a browser would run', () => {
  const resumed = (resume_url: unknown) => form({ resume_url });
  const good = [
    'https://clinic.example/resume/1',
    'HTTP://a',
    'clinicapp://resume/abc?x=1',
    'com.clinic.app:resume',
    null,
  ];
  const bad = [
    'javascript:alert(1)',
    'JavaScript://%0aalert(1)',
    'data:text/html,x',
    'data://text/html,x',
    'file:///etc/passwd',
    'blob:https://a',
    'vbscript://x',
    'clinic.example/resume',
    'http://',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'view-source:https://a',
    'https://a b',
    `https://${'a'.repeat(2_000)}`,
    '',
  ];

  expect(takes(FormsAbandoned, good.map(resumed))).toEqual(good.map(() => true));
  expect(takes(FormsAbandoned, bad.map(resumed))).toEqual(bad.map(() => false));
});

test('a price of an event is one that can be added up', () => {
  const priced = (unitPrice: number) => told({ selectedProducts: [{ ...product, unitPrice }] });

  expect(takes(FormsAbandoned, [0, -1e12, 1e12, -1.1e12, 1.1e12, 1e308].map(priced))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test.each<[string, z.ZodType, (text: string) => unknown, number, number]>([
  ['the tenant', FormsAbandoned, (text) => ({ ...abandoned, tenant_id: text }), 1, 200],
  ['the form', FormsAbandoned, (text) => form({ form_id: text }), 1, 500],
  ['the name of the form', FormsAbandoned, (text) => form({ form_name: text }), 1, 500],
  ['a first name', FormsAbandoned, (text) => told({ phi_first_name: text }), 0, 1_000],
  ['a last name', FormsAbandoned, (text) => told({ phi_last_name: text }), 0, 1_000],
  ['an address', FormsAbandoned, (text) => told({ phi_email: text }), 0, 1_000],
  ['a phone', FormsAbandoned, (text) => told({ phi_phone: text }), 0, 1_000],
  ['a date of birth', FormsAbandoned, (text) => told({ phi_date_of_birth: text }), 0, 1_000],
  ['a product', FormsAbandoned, (text) => told({ selectedProducts: [{ ...product, productName: text }] }), 0, 1_000],
  [
    'products',
    FormsAbandoned,
    ({ length }) => told({ selectedProducts: Array.from({ length }, () => product) }),
    0,
    200,
  ],
  ['the tenant of a form that was completed', FormsCompleted, (text) => completed({ tenant_id: text }), 0, 200],
  ['a patient', PatientFollowUpRequired, (text) => followUp({ patient_id: text }), 0, 200],
  ['a patient’s first name', PatientFollowUpRequired, (text) => followUp({ phi_first_name: text }), 0, 1_000],
])('%s of an event: as short and as long as can be, and beyond', (_what, schema, withText, least, most) => {
  const ofLength = (length: number) => withText('a'.repeat(length));

  expect(takes(schema, [least, most, most + 1].map(ofLength))).toEqual([true, true, false]);
  expect(takes(schema, least === 0 ? [] : [ofLength(least - 1)])).toEqual(least === 0 ? [] : [false]);
});

test.each([
  'session_id',
  'form_id',
  'form_name',
  'last_page_reached',
  'total_pages',
  'completion_percentage',
  'last_activity_at',
  'draft_age_hours',
  'abandoned_at',
])('an abandoned form without %s is none', (name) => {
  expect(takes(FormsAbandoned, [abandoned, form({ [name]: undefined }), form({ [name]: null })])).toEqual([
    true,
    false,
    false,
  ]);
});
