import { randomUUID, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import express from 'express';
import { Pool } from 'pg';
import { addEmrBaselines } from './emr-baseline';

/** What the least code would do: Express, a JSON body, one prepared statement. Each route is somebody's baseline. */
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
const app = express();
app.disable('x-powered-by');
app.set('etag', false);

app.get('/readyz', (_request, response) => void response.json({ status: 'ok' }));

/** The clinic's own receiver of events: nothing is sent twice. */
app.post('/events', (_request, response) => void response.end());

interface BareForm {
  session: string;
  clinicId: string;
}

const insert = (form: BareForm) =>
  pool.query({
    name: 'insert',
    text: `insert into inbound_events (id, clinic_id, event, dedupe_key, payload) values ($1, $2, 'bench', $1, $3) on conflict do nothing`,
    values: [form.session, form.clinicId, JSON.stringify(form)],
  });

app.post('/insert', express.json(), async (request, response) => {
  await insert(request.body as BareForm);
  response.json({ accepted: true });
});

/** The same without Express. */
async function insertWithoutExpress(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await insert((await json(request)) as BareForm);
  response.setHeader('content-type', 'application/json');
  response.end('{"accepted":true}');
}

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);

app.post('/sign-in', express.json(), async (request, response) => {
  const { email, password } = request.body as { email: string; password: string };
  const { rows } = await pool.query({
    name: 'account',
    text: 'select u.id, a.password from users u join accounts a on a.user_id = u.id where u.email = $1',
    values: [email],
  });
  const [salt = '', hash = ''] = String(rows[0]?.password).split(':');
  const derived = await derive(password, salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 });
  if (!timingSafeEqual(derived, Buffer.from(hash, 'hex'))) throw new Error('a wrong password');
  const token = randomUUID();
  await pool.query({
    name: 'session',
    text: `insert into sessions (id, user_id, token, expires_at) values ($1, $2, $1, now() + interval '1 hour')`,
    values: [token, rows[0].id],
  });
  response.json({ token });
});

interface ToolRequest {
  id: string;
  call: string;
  toolCallId: string;
  startsAt?: string;
  clinicId?: string;
  provider?: string;
}

app.post('/tool-read', express.json(), async (request, response) => {
  const { id, call, toolCallId } = request.body as ToolRequest;
  const { clinicId, patientId } = await callOf(call);
  await pool.query({
    name: 'claim',
    text: `insert into tool_calls (id, clinic_id, call_id, tool_call_id, family, tool, arguments, meaning)
      values ($1, $2, $3, $4, 'emr-tools', 'get_upcoming_appointment', '{}'::jsonb, 'm') on conflict (call_id, tool_call_id) do nothing`,
    values: [id, clinicId, call, toolCallId],
  });
  const { rows } = await pool.query({
    name: 'next',
    text: `select a.id, p.name, a.starts_at, a.status from appointments a join providers p on p.id = a.provider_id
      where a.clinic_id = $1 and a.patient_id = $2 and a.status = 'booked' and a.starts_at > now() order by a.starts_at limit 1`,
    values: [clinicId, patientId],
  });
  const result = JSON.stringify({ found: true, ...rows[0] });
  await pool.query(reply(id, result));
  response.json({ results: [{ toolCallId, result }] });
});

app.post('/tool-write', express.json(), async (request, response) => {
  const { id, call, toolCallId, startsAt, provider } = request.body as ToolRequest;
  const { clinicId, patientId } = await callOf(call);
  await pool.query({
    name: 'claim-write',
    text: `select kind, id, since, reply from claim_tool_call($1, $2, $3, $4, 'emr-tools', 'book_appointment', '{}'::jsonb, $5,
      '{book_appointment,reschedule_appointment,cancel_appointment}', interval '30 seconds', interval '60 seconds')`,
    values: [id, clinicId, call, toolCallId, startsAt],
  });
  await pool.query({
    name: 'book',
    text: `insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
      values ($1, $2, $3, $4, 'x', $5::timestamptz, $5::timestamptz + interval '30 minutes') on conflict do nothing`,
    values: [id, clinicId, patientId, provider, startsAt],
  });
  const result = JSON.stringify({ success: true, appointmentId: id, scheduledAt: startsAt, status: 'booked' });
  await pool.query(reply(id, result));
  response.json({ results: [{ toolCallId, result }] });
});

async function callOf(pointer: string): Promise<{ clinicId: string; patientId: string }> {
  const { rows } = await pool.query({
    name: 'call',
    text: `select k.clinic_id as "clinicId", k.patient_id as "patientId", c.timezone, c.sandbox_enabled
      from calls k join clinics c on c.id = k.clinic_id where k.platform_call_id = $1`,
    values: [pointer],
  });
  if (!rows[0]) throw new Error('no such call');
  return rows[0];
}

const reply = (id: string, result: string) => ({
  name: 'reply',
  text: 'update tool_calls set reply = $2, is_success = true, completed_at = now() where id = $1 and reply is null',
  values: [id, result],
});

addEmrBaselines(app, pool);

createServer((request, response) => {
  if (request.url === '/insert-without-express') void insertWithoutExpress(request, response);
  else app(request, response);
}).listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
