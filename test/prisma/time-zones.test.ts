import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Rooms whose SQL is ours. */
const rooms = ['accounts', 'activities', 'api', 'commands', 'prisma', 'sandbox', 'worker'];

/** What asks PostgreSQL for the clock of a zone, with the reason. Elsewhere days and hours are those that the service itself knows. */
const allowed = [
  // numbers_used_until: its day begins and ends in one statement; the operator's limit may have another hour than the page shows.
  `date_trunc('day', now() at time zone c.timezone) as began`,
  'and k.requested_at >= t.began at time zone t.timezone',
  `select (t.began + interval '1 day') at time zone t.timezone from today t`,
];

test('no SQL asks PostgreSQL for the clock of a named zone: its release of the zones may be another than that of the service', () => {
  const root = join(__dirname, '../..');
  const files = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|sql)$/.test(name) && !/node_modules|generated/.test(name))
      .map((name) => join(root, room, name)),
  );
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').toLowerCase().split('\n'));

  // Also as a function, and as the third argument of date_trunc.
  const asks = lines.filter((line) =>
    /at time zone (?!'utc')|(?<!function )\btimezone\(|date_trunc\('\w+', [^()]*(\([^()]*\)[^()]*)*, (?!'utc')[^()]*\)/.test(
      line,
    ),
  );

  expect(files.length).toBeGreaterThan(100);
  expect(asks.filter((line) => !allowed.some((each) => line.includes(each)))).toEqual([]);
  for (const each of allowed) expect(asks.filter((line) => line.includes(each))).toHaveLength(1);
});
