import { attendance } from '@clinic/shared/domain/calendar/attendance';
import { rebooking } from '@clinic/shared/domain/calendar/rebooking';
import { offerOutcome } from '@clinic/shared/domain/calendar/waitlist';
import type { PatientsWord, ToolFact } from '@clinic/shared/domain/outreach/conversation';

const outcomesOf = (facts: ToolFact[], said: PatientsWord | null) => {
  const talk = { ending: 'conversation', isFinished: true, facts, said } as const;
  return [attendance(talk), rebooking(talk), offerOutcome(talk)];
};

test.each<[ToolFact[], attendance: string | null, rebooking: string | null, offer: string | null]>([
  [[], null, null, null],
  [['documented', 'billing_escalated', 'self_pay', 'insurance_updated', 'registered'], null, null, null],
  [['booked'], 'RESCHEDULED', 'REBOOKED', 'REBOOKED'],
  [['rescheduled'], 'RESCHEDULED', 'REBOOKED', 'REBOOKED'],
  [['cancelled'], 'CANCELLED', 'DECLINED', 'DECLINED'],
  [['cancelled', 'booked'], 'RESCHEDULED', 'REBOOKED', 'REBOOKED'],
  [['cancelled', 'rescheduled'], 'RESCHEDULED', 'REBOOKED', 'REBOOKED'],
  [['booked', 'cancelled'], 'CANCELLED', 'DECLINED', 'DECLINED'],
  [['escalated'], 'FOLLOW_UP_REQUIRED', 'ESCALATED', 'ESCALATED'],
  [['booked', 'escalated'], 'RESCHEDULED', 'ESCALATED', 'ESCALATED'],
  [['escalated', 'cancelled'], 'CANCELLED', 'ESCALATED', 'ESCALATED'],
  [['declined'], null, null, 'DECLINED'],
  [['declined', 'billing_escalated'], null, null, 'DECLINED'],
  [['declined', 'booked'], 'RESCHEDULED', 'REBOOKED', 'REBOOKED'],
  [['declined', 'escalated'], 'FOLLOW_UP_REQUIRED', 'ESCALATED', 'ESCALATED'],
])(
  'after the tools %j a call about a visit came to %s, about a new one to %s, about an offer to %s',
  (facts, ...came) => {
    expect(outcomesOf(facts, null)).toEqual(came);
  },
);

test.each<[PatientsWord, attendance: string | null, rebooking: string | null, offer: string | null]>([
  ['confirmed', 'CONFIRMED', null, null],
  ['rebooked', null, 'REBOOKED', 'REBOOKED'],
  ['declined', null, 'DECLINED', 'DECLINED'],
  ['escalated', null, 'ESCALATED', 'ESCALATED'],
  ['callback', null, null, null],
])('the word %s alone comes to %s, %s, %s; what a tool did outweighs it', (said, ...came) => {
  expect(outcomesOf([], said)).toEqual(came);
  expect(outcomesOf(['cancelled'], said)).toEqual(['CANCELLED', 'DECLINED', 'DECLINED']);
});
