import { cannotBeAsked, keyRefused, missingIn, noKey } from '@clinic/gateways/voice/findings';
import { workflowTypeNames, type WorkflowType } from '@clinic/shared/domain/outreach/workflow-types';

type Voice = Parameters<typeof missingIn>[0];
const voice = (talkers: readonly WorkflowType[], changed: Partial<Voice> = {}) =>
  ({
    apiKey: 'key',
    phoneNumberId: 'line',
    assistantFor: (type: WorkflowType) => (talkers.includes(type) ? 'assistant' : null),
    ...changed,
  }) as Voice;
const [first, ...others] = workflowTypeNames;

test.each<[string, Voice, string[]]>([
  ['nothing', voice(workflowTypeNames), []],
  ['an account', voice(workflowTypeNames, { apiKey: null }), ['no_account! apiKey']],
  ['a number', voice(workflowTypeNames, { phoneNumberId: null }), ['no_number! phoneNumberId']],
  ['everybody who talks', voice([]), ['no_assistant! assistantId']],
  ['one who talks', voice(others), [`no_assistant assistants.${first}`]],
  [
    'everything',
    voice([], { apiKey: null, phoneNumberId: null }),
    ['no_account! apiKey', 'no_number! phoneNumberId', 'no_assistant! assistantId'],
  ],
])('of a voice that lacks %s it is said', (_what, chosen, expected) => {
  const found = missingIn(chosen).map(({ code, path, isProblem }) => `${code}${isProblem ? '!' : ''} ${path}`);

  expect(found).toEqual(expected);
});

test.each([
  [keyRefused('no'), { code: 'credentials_refused', path: 'apiKey', isProblem: true }],
  [cannotBeAsked('no'), { code: 'platform_unavailable', path: '', isProblem: true }],
  [noKey(), { code: 'no_account', path: 'apiKey', isProblem: true }],
])('%j', (finding, expected) => {
  expect(finding).toMatchObject(expected);
});
