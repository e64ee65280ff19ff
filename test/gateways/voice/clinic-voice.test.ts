import { unsetVariables } from '@clinic/gateways/voice/clinic-voice';

const variables = { apiKey: 'THE_KEY', assistantId: 'THE_ASSISTANT', phoneNumberId: 'THE_NUMBER' };
const whole = { apiKey: 'key', assistantId: 'assistant', phoneNumberId: 'number', secret: 'secret', variables };

test.each([
  [{}, []],
  [{ apiKey: null }, ['THE_KEY']],
  [{ assistantId: null }, ['THE_ASSISTANT']],
  [{ phoneNumberId: '' }, ['THE_NUMBER']],
  [{ apiKey: null, assistantId: null, phoneNumberId: null }, ['THE_KEY', 'THE_ASSISTANT', 'THE_NUMBER']],
])('of an operator’s account with %j these variables are not set: %j', (given, missing) => {
  expect(unsetVariables({ ...whole, ...given })).toEqual(missing);
});
