/** @realPasswords */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Connection } from '@temporalio/client';
import { patientData } from '@clinic/prisma/stores/patients/patient-data';
import { phones } from '../support/builders';
import { typed } from '../support/command';
import { openStream } from '../support/event-stream';
import { eventually } from '../support/eventually';
import { type SmtpServer, startSmtpServer } from '../support/outside/smtp-server';
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
  moved: '78 Canaryfinch Lane, Denver, CO',
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
let smtp: SmtpServer;
/** Where heads of the audit are taken out of the service's reach. */
const headsFile = join(mkdtempSync(join(tmpdir(), 'canary-')), 'heads.jsonl');

beforeAll(async () => {
  smtp = await startSmtpServer();
  const outside = { SMTP_URL: smtp.url, AUDIT_HEADS_URL: pathToFileURL(headsFile).href };
  service = await startService({
    env: { LOG_LEVEL: 'debug', METRICS_TOKEN: 'metrics-token-for-tests', ...outside },
  });
}, 240_000);

afterAll(async () => {
  await service.stop();
  await smtp.close();
});

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
  await service.request('PATCH', `/patients/${patientId}`, { body: { address: canary.moved }, bearer: apiKey });
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

test('what patients are and say stands in no log, metric, mail, stream or copy of the audit, and in nothing that Temporal keeps; once they are erased, nowhere', async () => {
  const bearer = await service.admin();
  const stream = await openStream(service.baseUrl, bearer);
  await service.request('PUT', '/auth/notifications', { body: { taskMails: true }, bearer });
  // Who has just asked for mail is told some minutes later.
  await service.database.sql`update task_mails set told_until = now() - interval '10 minutes'`;
  const workflowIds = await liveThroughItAll();
  // The runs of the events go on: the erasure ends them.
  for (const workflowId of workflowIds.slice(eventPaths.length)) await service.ended(workflowId);
  const metrics = await fetch(`${service.baseUrl.replace(/\/api$/, '')}/metrics`, {
    headers: { authorization: 'Bearer metrics-token-for-tests' },
  });
  const metricsText = await metrics.text();
  const kept = await everythingInTemporal();
  await askForMails(bearer);
  await takeSnapshot(bearer);
  // Before what they tell of is erased.
  await mailed(mailKinds);
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
  const told = {
    mails: await mailed(mailKinds),
    stream: stream.text(),
    heads: await eventually(() => existsSync(headsFile) && (readFileSync(headsFile, 'utf8') || null), {
      within: 90_000,
    }),
    audit: await auditOver(['/audit?reads=true&limit=200', '/audit/export?reads=true', '/AuditEvent']),
  };
  stream.close();
  const again = await service.abandon({ ...person, sessionId: canary.session, phone: canary.phone });
  await service.worker.stop();
  await service.api.stop();
  const log = [...service.api.lines, ...service.worker.lines].join('\n');

  expect(findings(log)).toEqual([]);
  expect(findings(metricsText)).toEqual([]);
  expect(findings(kept.text)).toEqual([]);
  expect(Object.entries(told).map(([name, text]) => [name, findings(text)])).toEqual(
    Object.keys(told).map((name) => [name, []]),
  );
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
  expect(told.heads).toContain(service.clinic.clinicId);
  expect(told.audit).toContain('patient.create');
  const streamed = 'recovery_cases workflow_runs calls tool_calls staff_tasks patients audit_entries'.split(' ');
  expect(streamed.filter((table) => !told.stream.includes(`"table":"${table}"`))).toEqual([]);
  expect(findings(before.sandbox_snapshots ?? '')).toEqual(expect.arrayContaining([canary.note, canary.lastName]));
  expect(kept.searchable).toContain(service.clinic.clinicId);
  expect(kept.memos).toContain('sessionId');
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

const mailKinds = [/new tasks? at/, /alarms? at/, /invites you to/, /new password/];

/** Whatever mails somebody: tasks do, and an invitation, a reset and emergency access. */
async function askForMails(bearer: string): Promise<void> {
  const post = (path: string, body?: unknown) => service.request('POST', path, { body, bearer });
  const { body } = await service.request('GET', '/accounts', { bearer });
  const ofStaff = body.items.find(({ email }: { email: string }) => email === service.clinic.staff.email);
  await post(`/accounts/${ofStaff.id}/reset`);
  await post('/accounts/invitations', { email: 'new@cedar-people.example', role: 'staff' });
  const emergency = ['clinic', 'emergency', '--clinic', service.clinic.clinicId, '--minutes', '5'];
  await typed([...emergency, '--reason', 'to-raise-an-alarm'], service.env);
}

/** All mails as they are read, once there is one of each kind. */
async function mailed(kinds: RegExp[]): Promise<string> {
  // Lines of a mail are broken by `=` at their end.
  const read = () => smtp.mails.map(({ to, text }) => `${to}\n${text.replaceAll('=\n', '')}`).join('\n');
  await eventually(() => kinds.every((kind) => kind.test(read())));
  return read();
}

async function takeSnapshot(bearer: string): Promise<void> {
  await service.request('PUT', '/abandonment-recovery/sandbox-emr/config', { body: { enabled: true }, bearer });
  const { status, text } = await service.request('POST', '/sandbox/snapshots', { body: { name: 'kept' }, bearer });
  if (status !== 200) throw new Error(text);
}

/** What an auditor takes away. */
async function auditOver(paths: string[]): Promise<string> {
  const answers = await Promise.all(
    paths.map(async (path) => service.request('GET', path, { bearer: await service.admin() })),
  );
  for (const { status, text } of answers) if (status !== 200) throw new Error(text);
  return answers.map(({ text }) => text).join('\n');
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
async function everythingInTemporal(): Promise<{ ids: string[]; text: string; searchable: string; memos: string }> {
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
  const [searchable, memos] = [executions.map((each) => each.searchAttributes), executions.map(({ memo }) => memo)];
  const found = { searchable: wordsOf(searchable), memos: wordsOf(memos) };
  return { ids, text: [...parts, found.searchable, found.memos].join('\n'), ...found };
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
