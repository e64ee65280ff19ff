/** @realPasswords */
import { Connection } from '@temporalio/client';
import { patientData } from '@clinic/prisma/stores/patients/patient-data';
import { phones } from '../support/builders';
import { eventually } from '../support/eventually';
import { aPatientEvent } from '../support/patient-events';
import { type Service, startService } from '../support/service';
import { temporalAddress } from '../support/temporal';

/** Words that stand nowhere but in what patients and agents said, and in what platforms made ids of. */
const canary = {
  firstName: 'Xanthippequark',
  lastName: 'Zwolledonk',
  email: 'xq.zwolledonk@canary.example',
  phone: '+14155550199',
  born: '1931-07-23',
  address: '77 Canarybird Lane, Denver, CO',
  product: 'Canaryderm ointment',
  barrier: 'afraid of the canary needle',
  question: 'does the canarypill hurt',
  summary: 'canarysummary of the talk',
  transcript: 'User: my canarytongue itches',
  recording: 'canaryrecording',
  note: 'canarynote: sleeps badly',
  member: 'CANARY-MEMBER-4711',
  payer: 'Canaryshield of Colorado',
  reason: 'canaryreason to come',
  medication: 'canaryzepam 5 mg',
  query: 'canarysearch garcia',
  session: 'xq.zwolledonk@session.example',
  namedSession: 'Zwolledonk-Xanthippequark-1931-07-23',
  phoneSession: '14155550177',
  mrnSession: 'MRN-CANARY-0031',
  event: 'event-of-xq.zwolledonk@event.example',
  requestId: 'xq.zwolledonk-request',
  idempotency: 'canary-key-xq.zwolledonk',
};
/** As they may also be written. */
const traces = [...Object.values(canary), '4155550199', 'zwolledonk', 'canary needle', 'canarypill', 'canarybird'];

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { LOG_LEVEL: 'debug', METRICS_TOKEN: 'metrics-token-for-tests' } });
}, 240_000);

afterAll(() => service.stop());

const person = { firstName: canary.firstName, lastName: canary.lastName, email: canary.email };

const eventPaths = ['payment-failed', 'patient-follow-up-required', 'prescription-status-changed'] as const;

/** Every way patient data enters: forms, starts, events, tools, calls, REST, and requests that are refused or break. */
async function liveThroughItAll(): Promise<string[]> {
  const { clinicId, apiKey } = service.clinic;
  const products = { selectedProducts: [{ productName: canary.product, unitPrice: 9 }] };
  const named = { firstName: canary.firstName, lastName: canary.lastName, phone: phones.asksClinicalQuestion };
  const eventIds = [canary.event, canary.phoneSession, canary.mrnSession];
  const events = await Promise.all(
    eventPaths.map((path, at) => {
      const about = { ...person, eventId: eventIds[at], phone: phones.neverAnswers, patientId: canary.mrnSession };
      return service.inbound(path, aPatientEvent(path, about));
    }),
  );
  const opened = [
    ...events,
    await service.abandon({ ...person, sessionId: canary.session, phone: canary.phone }),
    await service.abandon({
      ...person,
      sessionId: canary.namedSession,
      phone: phones.neverAnswers,
      data: { partial_form_data: { ...products, phi_first_name: canary.firstName, phi_phone: phones.neverAnswers } },
    }),
    await service.abandon({ ...person, phone: `unreadable ${canary.phone}x` }),
    await service.start({
      workflowType: 'abandonment-recovery',
      clinicId,
      patient: named,
      context: { sessionId: `start-${canary.email}` },
    }),
  ];
  const { testCallId } = service.clinic;
  await service.tool('abandonment-recovery-tools/record_abandonment_barrier', testCallId, {
    primaryBarrier: canary.barrier,
    specificQuestion: canary.question,
  });
  await service.tool(`abandonment-recovery-tools/${encodeURIComponent(canary.barrier)}`, testCallId, canary);
  const created = await service.request('POST', '/patients', {
    bearer: apiKey,
    headers: { 'x-request-id': canary.requestId, 'idempotency-key': canary.idempotency },
    body: { ...person, phone: canary.phone, dateOfBirth: canary.born, address: canary.address },
  });
  const patientId: string = created.body.id;
  await service.request('POST', `/patients/${patientId}/notes`, { body: { note: canary.note }, bearer: apiKey });
  await service.request('POST', `/patients/${patientId}/opt-outs`, { body: {}, bearer: apiKey });
  await service.request('GET', `/patients?search=${encodeURIComponent(canary.query)}`, { bearer: apiKey });
  const callId = await service.openTestCall({ patientId });
  await service.tool('emr-tools/document_and_escalate', callId, {
    medicationNote: canary.medication,
    escalationReason: canary.reason,
  });
  await service.tool('patient-journey/update_registration_field', callId, { healthPlanName: canary.payer });
  await service.tool('patient-journey/submit_insurance_info', callId, {
    payerName: canary.payer,
    memberId: canary.member,
  });
  await service.tool('emr-tools/verify_patient', callId, { dateOfBirth: canary.born });
  await service.voiceEvent({
    type: 'end-of-call-report',
    endedReason: 'customer-ended-call',
    analysis: { summary: canary.summary },
    artifact: { transcript: canary.transcript, recordingUrl: `https://voice.example/${canary.recording}` },
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

test('what patients are and say stands in no log, no metric and nothing that Temporal keeps; once they are erased, nowhere', async () => {
  const workflowIds = await liveThroughItAll();
  // The runs of the events go on: the erasure ends them.
  for (const workflowId of workflowIds.slice(eventPaths.length)) await service.ended(workflowId);
  const metrics = await fetch(`${service.baseUrl.replace(/\/api$/, '')}/metrics`, {
    headers: { authorization: 'Bearer metrics-token-for-tests' },
  });
  const metricsText = await metrics.text();
  const kept = await everythingInTemporal();
  const before = await dump();
  const patients = await service.database.sql<{ id: string }>`
    select id from patients where clinic_id = ${service.clinic.clinicId}`;
  const marked = await markedAmong(patients.map(({ id }) => id));
  for (const id of marked) await requestErasure(id);
  const erasures = await eventually(async () => {
    const { body } = await service.request('GET', '/erasures?limit=200', { bearer: await service.admin() });
    return body.items.every(({ state }: { state: string }) => state === 'DONE') && body.items;
  });
  const keptAfter = await everythingInTemporal();
  const after = await dump();
  const again = await service.abandon({ ...person, sessionId: canary.session, phone: canary.phone });
  await service.worker.stop();
  await service.api.stop();
  const log = [...service.api.lines, ...service.worker.lines].join('\n');

  expect(findings(log)).toEqual([]);
  expect(findings(metricsText)).toEqual([]);
  expect(findings(kept.text)).toEqual([]);
  // In the records it stands where an erasure deletes, and there alone.
  const permitted = Object.keys(patientData).filter((table) => patientData[table]?.erasure === 'deleted');
  const places = Object.keys(before).filter((table) => findings(before[table] ?? '').length > 0);
  expect(places.filter((table) => !permitted.includes(table))).toEqual([]);
  const entered = Object.values(canary).filter((marker) => findings(Object.values(before).join('\n')).includes(marker));
  expect(entered.length).toBeGreaterThanOrEqual(19);
  // And after the erasure nowhere.
  const left = Object.keys(after).flatMap((table) => findings(after[table] ?? '').map((found) => `${table}: ${found}`));
  expect(left).toEqual([]);
  expect(marked.length).toBeGreaterThan(3);
  expect(erasures.length).toBe(marked.length);
  expect(workflowIds.filter((id) => keptAfter.ids.some((known) => known.includes(id)))).toEqual([]);
  expect(again.body).toMatchObject({ accepted: true, duplicate: true });
  // None of this is for want of anything to look at.
  expect(service.api.lines.length).toBeGreaterThan(20);
  expect(metricsText).toContain('inbound_events_total');
  expect(kept.ids.length).toBeGreaterThan(workflowIds.length);
  expect(kept.text).toContain(service.clinic.clinicId);
  expect(workflowIds.every((id) => kept.ids.includes(id))).toBe(true);
}, 300_000);

test.each(['plain', 'base64', 'hex', 'url'] as const)('a word that is written in %s is found', (way) => {
  const text = `before ${canary.note} after`;
  const written = {
    plain: text.toUpperCase(),
    base64: Buffer.from(text).toString('base64'),
    hex: Buffer.from(text).toString('hex'),
    url: encodeURIComponent(text),
  };

  expect(findings(written[way])).toContain(canary.note);
});

/** Plain, in base64 from each of three offsets, in hex, and as in a URL. */
function findings(text: string): string[] {
  const lower = text.toLowerCase();
  return traces.filter((trace) => {
    const bytes = Buffer.from(trace);
    const inBase64 = [0, 1, 2].map((offset) => {
      const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
      // Without the characters that bytes before and after it share.
      return encoded.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6));
    });
    const spellings = [trace, bytes.toString('hex'), encodeURIComponent(trace), trace.replaceAll(' ', '+')];
    return (
      spellings.some((spelling) => lower.includes(spelling.toLowerCase())) ||
      inBase64.some(
        (spelling) => text.includes(spelling) || text.includes(spelling.replaceAll('+', '-').replaceAll('/', '_')),
      )
    );
  });
}

async function markedAmong(patientIds: string[]): Promise<string[]> {
  const marked: string[] = [];
  for (const id of patientIds) {
    const { body } = await service.request('GET', `/patients/${id}/export`, { bearer: await service.admin() });
    if (findings(JSON.stringify(body.records)).length > 0) marked.push(id);
  }
  return marked;
}

async function requestErasure(id: string): Promise<void> {
  const { status, text } = await service.request('POST', `/patients/${id}/erasure`, {
    body: { reason: 'patient_request', confirm: id },
    bearer: await service.admin(),
  });
  if (status !== 202) throw new Error(text);
}

/** Every row of every table, by table. */
async function dump(): Promise<Record<string, string>> {
  const tables: Record<string, string> = {};
  for (const table of Object.keys(patientData)) {
    const rows = await service.database.prisma.$queryRawUnsafe<{ row: string }[]>(
      `select to_jsonb(t)::text as row from ${table} t`,
    );
    tables[table] = rows.map(({ row }) => row).join('\n');
  }
  return tables;
}

/** Every description and history of the namespace as the server has them: nothing is decoded. */
async function everythingInTemporal(): Promise<{ ids: string[]; text: string }> {
  const connection = await Connection.connect({ address: temporalAddress() });
  const { namespace } = service;
  const { workflowService } = connection;
  const { executions } = await workflowService.listWorkflowExecutions({ namespace, pageSize: 1_000 });
  const parts: string[] = [];
  const ids: string[] = [];
  for (const { execution } of executions) {
    const described = await workflowService.describeWorkflowExecution({ namespace, execution }).catch(() => null);
    // Deleted since it was listed.
    if (described === null) continue;
    const { history } = await workflowService.getWorkflowExecutionHistory({ namespace, execution });
    parts.push(wordsOf(described), wordsOf(history));
    ids.push(execution?.workflowId ?? '');
  }
  await connection.close();
  return { ids, text: parts.join('\n') };
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
