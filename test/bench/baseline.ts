import express from 'express';
import { Pool } from 'pg';

/** What the least code would do: Express, a JSON body, one prepared statement. Each route is somebody's baseline. */
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 8 });
const app = express();
app.disable('x-powered-by');
app.set('etag', false);

app.get('/readyz', (_request, response) => void response.json({ status: 'ok' }));

app.post('/insert', express.json(), async (request, response) => {
  const { session, clinicId } = request.body as { session: string; clinicId: string };
  await pool.query({
    name: 'insert',
    text: `insert into inbound_events (id, clinic_id, event, dedupe_key, payload) values ($1, $2, 'bench', $1, $3) on conflict do nothing`,
    values: [session, clinicId, JSON.stringify(request.body)],
  });
  response.json({ accepted: true });
});

app.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
