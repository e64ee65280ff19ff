/** @realPasswords */
import { Connection } from '@temporalio/client';
import { phones } from '../support/builders';
import { eventually } from '../support/eventually';
import { type Service, startService } from '../support/service';
import { temporalAddress } from '../support/temporal';

/** Words that stand nowhere but in what patients and agents said. */
const canary = {
  firstName: 'Xanthippequark',
  lastName: 'Zwolledonk',
  email: 'xq.zwolledonk@canary.example',
  phone: '+14155550199',
  product: 'Canaryderm ointment',
  barrier: 'afraid of the canary needle',
  question: 'does the canarypill hurt',
  summary: 'canarysummary of the talk',
  session: 'xq.zwolledonk@session.example',
};
/** As they may also be written. */
const traces = [...Object.values(canary), '4155550199', 'zwolledonk', 'canary needle', 'canarypill'].map((text) =>
  text.toLowerCase(),
);

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { LOG_LEVEL: 'debug', METRICS_TOKEN: 'metrics-token-for-tests' } });
}, 240_000);

afterAll(() => service.stop());

const person = { firstName: canary.firstName, lastName: canary.lastName, email: canary.email };

/** Every way patient data enters: forms, starts, tools, events, and requests that are refused or break. */
async function liveThroughItAll(): Promise<string[]> {
  const { clinicId, apiKey } = service.clinic;
  const products = { selectedProducts: [{ productName: canary.product, unitPrice: 9 }] };
  const opened = [
    await service.abandon({ ...person, sessionId: canary.session, phone: canary.phone }),
    await service.abandon({
      ...person,
      phone: phones.neverAnswers,
      data: { partial_form_data: { ...products, phi_first_name: canary.firstName, phi_phone: phones.neverAnswers } },
    }),
    await service.abandon({ ...person, phone: `unreadable ${canary.phone}x` }),
    await service.start({
      workflowType: 'abandonment-recovery',
      clinicId,
      patient: { firstName: canary.firstName, lastName: canary.lastName, phone: phones.asksClinicalQuestion },
      context: { sessionId: `start-${canary.email}` },
    }),
  ];
  const { testCallId } = service.clinic;
  await service.tool('abandonment-recovery-tools/record_abandonment_barrier', testCallId, {
    primaryBarrier: canary.barrier,
    specificQuestion: canary.question,
  });
  await service.tool(`abandonment-recovery-tools/${encodeURIComponent(canary.barrier)}`, testCallId, canary);
  const callId = await service.openTestCall({ phone: canary.phone });
  await service.voiceEvent({
    type: 'end-of-call-report',
    endedReason: 'customer-ended-call',
    analysis: { summary: canary.summary },
    call: { id: callId, customer: { number: canary.phone, name: canary.lastName } },
  });
  await service.voiceEvent({ type: canary.barrier, call: { id: canary.phone } });
  await service.abandon({ ...person, data: { total_pages: canary.lastName } });
  await service.request('GET', `/workflows/${canary.lastName}?status=${canary.lastName}`, { bearer: apiKey });
  await service.request('GET', `/${encodeURIComponent(canary.email)}`, { bearer: canary.lastName + canary.firstName });
  await service.request('POST', '/auth/sign-in/email', { body: { email: canary.email, password: canary.barrier } });
  await service.request('POST', '/workflows/start', { body: `{"patient":"${canary.lastName}`, bearer: apiKey });
  return opened.map(({ body }) => body.workflowId);
}

test('what patients are and say stands in no log, no metric and nothing that Temporal keeps', async () => {
  const workflowIds = await liveThroughItAll();
  for (const workflowId of workflowIds) await service.ended(workflowId);
  await eventually(
    async () => (await service.database.sql`select 1 from calls where state <> 'ENDED' and not is_test`).length === 0,
  );
  const metrics = await fetch(`${service.baseUrl.replace(/\/api$/, '')}/metrics`, {
    headers: { authorization: 'Bearer metrics-token-for-tests' },
  });
  const metricsText = await metrics.text();
  const kept = await everythingInTemporal();
  await service.worker.stop();
  await service.api.stop();
  const log = [...service.api.lines, ...service.worker.lines].join('\n');

  expect(findings(log)).toEqual([]);
  expect(findings(metricsText)).toEqual([]);
  expect(findings(kept.text)).toEqual([]);
  // None of this is for want of anything to look at.
  expect(service.api.lines.length).toBeGreaterThan(20);
  expect(metricsText).toContain('inbound_events_total');
  expect(kept.workflows).toBeGreaterThan(workflowIds.length);
  expect(kept.text).toContain(service.clinic.clinicId.toLowerCase());
  expect(findings(JSON.stringify(await service.database.sql`select * from patients`))).not.toEqual([]);
}, 240_000);

function findings(text: string): string[] {
  const lower = text.toLowerCase();
  return traces.filter((trace) => lower.includes(trace));
}

/** Every description and history of the namespace as the server has them: nothing is decoded. */
async function everythingInTemporal(): Promise<{ workflows: number; text: string }> {
  const connection = await Connection.connect({ address: temporalAddress() });
  const { namespace } = service;
  const { workflowService } = connection;
  const { executions } = await workflowService.listWorkflowExecutions({ namespace, pageSize: 1_000 });
  const parts: string[] = [];
  for (const { execution } of executions) {
    const described = await workflowService.describeWorkflowExecution({ namespace, execution });
    const { history } = await workflowService.getWorkflowExecutionHistory({ namespace, execution });
    parts.push(wordsOf(described), wordsOf(history));
  }
  await connection.close();
  return { workflows: executions.length, text: parts.join('\n').toLowerCase() };
}

/** Every text and every byte in a message of Temporal's. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([key, entry]) => `${key} ${wordsOf(entry)}`)
    .join('\n');
}
