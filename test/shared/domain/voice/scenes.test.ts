import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf, parts, type SceneName, sceneNames, sceneOf, scenes } from '@clinic/shared/domain/voice/scenes';
import { type WorkflowType, workflowTypeNames, workflowTypes } from '@clinic/shared/domain/outreach/workflow-types';

test('every number has a scene of its own, and any other number agrees', () => {
  const phones = sceneNames.map((name) => scenes[name].phone);

  expect(phones).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((digit) => `+1500555000${digit}`));
  expect(phones.map((phone) => sceneOf(phone))).toEqual(Object.values(scenes));
  expect(sceneOf('+442071838750')).toBe(scenes.agrees);
});

test.each<[SceneName, string]>([
  ['agrees', 'RECOVERED'],
  ['wants-callback', 'FOLLOW_UP_REQUIRED'],
  ['finds-it-expensive', 'PRICING_ESCALATION'],
  ['asks-clinical-question', 'CLINICAL_ESCALATION'],
  ['declines', 'PATIENT_NOT_INTERESTED'],
  ['never-answers', 'PATIENT_NOT_REACHED'],
  ['answers-second-time', 'RECOVERED'],
  ['hangs-up', 'FOLLOW_UP_REQUIRED'],
  ['platform-refuses', 'RECOVERED'],
])('a recovery whose patient plays %s ends %s', (name, outcome) => {
  expect(outcomeOf(scenes[name], 'abandonment-recovery')).toBe(outcome);
});

test.each<[WorkflowType, SceneName, string]>([
  ['new-patient-journey', 'agrees', 'REGISTERED'],
  ['new-patient-journey', 'finds-it-expensive', 'FOLLOW_UP_REQUIRED'],
  ['new-patient-journey', 'declines', 'FOLLOW_UP_REQUIRED'],
  ['care-gap-follow-up', 'platform-refuses', 'REBOOKED'],
  ['care-gap-follow-up', 'asks-clinical-question', 'ESCALATED'],
  ['care-gap-follow-up', 'declines', 'DECLINED'],
  ['appointment-reminder', 'asks-clinical-question', 'FOLLOW_UP_REQUIRED'],
  ['payment-recovery', 'answers-second-time', 'SELF_PAY'],
  ['payment-recovery', 'finds-it-expensive', 'BILLING_ESCALATION'],
  ['payment-recovery', 'asks-clinical-question', 'BILLING_ESCALATION'],
  ['prescription-follow-up', 'finds-it-expensive', 'ESCALATED'],
  ['prescription-follow-up', 'never-answers', 'PATIENT_NOT_REACHED'],
])('%s whose patient plays %s ends %s', (type, name, outcome) => {
  expect(outcomeOf(scenes[name], type)).toBe(outcome);
});

test('every part leads every workflow type to an outcome that it has', () => {
  for (const type of workflowTypeNames) {
    for (const part of parts) expect(workflowTypes[type].outcomes).toContain(outcomeOf({ part }, type));
  }
});

test('one patient answers at the second attempt, and one platform refuses a call twice', () => {
  const told = sceneNames.map((name) => `${name} ${scenes[name].answersAtAttempt} ${scenes[name].refusals}`);

  expect(told.filter((line) => !line.endsWith(' 1 0'))).toEqual(['answers-second-time 2 0', 'platform-refuses 1 2']);
});

test('the first hour shows the same table', () => {
  const guide = readFileSync(join(__dirname, '../../../../docs/first-hour.md'), 'utf8');
  const rows = [...guide.matchAll(/^\| (\+1500\d+)(?:, or any other)? *\| (.*?) *\| (.*?) *\|$/gm)];

  expect(rows.map(([, phone, patient, outcome]) => [phone, patient, outcome])).toEqual(
    Object.values(scenes).map((scene) => [scene.phone, scene.patient, outcomeOf(scene, 'abandonment-recovery')]),
  );
});
