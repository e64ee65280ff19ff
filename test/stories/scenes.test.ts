import { aSession, phones } from '../support/builders';
import { type App, startApp } from '../support/app';
import { type Receiver, startReceiver } from '../support/outside/receiver';

let app: App;
let receiver: Receiver;

beforeAll(async () => {
  app = await startApp();
  receiver = await startReceiver(() => [app.clinic.outboundSigningSecret]);
  await app.stores.clinics.setOutboundEndpoint(app.clinic.clinicId, {
    url: receiver.url,
    isEnabled: true,
    events: ['recovery_case.created', 'recovery_case.outcome'],
  });
}, 60_000);

afterAll(async () => {
  await app.stop();
  await receiver.close();
});

describe('every scene of the simulator reaches its outcome', () => {
  test.concurrent.each([
    ['answers, says why they stopped, agrees', phones.agrees, 'RECOVERED', 1],
    ['asks for a callback', phones.wantsCallback, 'FOLLOW_UP_REQUIRED', 1],
    ['price barrier', phones.findsItExpensive, 'PRICING_ESCALATION', 1],
    ['clinical question', phones.asksClinicalQuestion, 'CLINICAL_ESCALATION', 1],
    ['declines', phones.declines, 'PATIENT_NOT_INTERESTED', 1],
    ['never answers', phones.neverAnswers, 'PATIENT_NOT_REACHED', 3],
    ['answers at the second attempt, agrees', phones.answersSecondTime, 'RECOVERED', 2],
    ['hangs up without an outcome', phones.hangsUp, 'FOLLOW_UP_REQUIRED', 1],
    ['the platform refuses the call twice, then agrees', phones.refusedTwice, 'RECOVERED', 1],
    ['any other number', '+442071838750', 'RECOVERED', 1],
  ])('%s', async (_scene, phone, outcome, attempts) => {
    const sessionId = aSession();

    const { status, body } = await app.abandon({ sessionId, phone });
    const workflow = await app.ended(body.workflowId);

    expect(status).toBe(200);
    expect(workflow).toMatchObject({ status: 'completed', outcome, attempts, recoveryCaseId: body.recoveryCaseId });
  });
});
