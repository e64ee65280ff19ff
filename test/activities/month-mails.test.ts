import { inflateSync } from 'node:zlib';
import { createMonthMails } from '@clinic/activities/month-mails';
import { createMail } from '@clinic/gateways/mail/mail';
import { readWorkerConfig } from '@clinic/shared/config';
import { type CaseCounts, noCases } from '@clinic/shared/domain/operations/results';
import { createLog } from '@clinic/shared/log';
import { type App, startApp } from '../support/app';
import { fill } from '../support/fill';
import { type SmtpServer, startSmtpServer } from '../support/outside/smtp-server';

const dashboard = 'https://clinic.example';

let smtp: SmtpServer;
let app: App;
let bearer: string;
let accountId: string;
let mails: ReturnType<typeof createMonthMails>;

beforeAll(async () => {
  smtp = await startSmtpServer();
  app = await startApp({ hasWorker: false, env: { SMTP_URL: smtp.url } });
  bearer = await app.admin();
  await fill(app.database, { clinicIds: [app.clinic.clinicId], cases: 600 });
  await app.database.sql`
    update recovery_cases set selected_products = '[{"productName": "Check-up", "unitPrice": 120}]'::jsonb where status = 'RECOVERED'`;
  await app.database.sql`update calls set cost_usd = 0.25 where platform_call_id is not null`;
  await app.database.sql`
    update workflow_runs r set is_simulated = true
    from (select id, row_number() over (order by started_at, id) as place from workflow_runs) p
    where p.id = r.id and p.place % 3 = 0`;
  const mail = createMail(readWorkerConfig(app.env), createLog({ process: 'test', level: 'silent' }));
  mails = createMonthMails({ stores: app.stores, mail, publicUrl: dashboard });
  await app.request('PUT', '/results/mail', { bearer, body: { isWanted: true } });
  const [asked] = await app.database.sql<{ id: string }>`select user_id as id from month_mails`;
  accountId = asked?.id ?? '';
});
beforeEach(async () => {
  smtp.mails.length = 0;
  await app.database.sql`
    update month_mails set refused_at = null,
      told_month = (date_trunc('month', now() at time zone 'America/Denver' - interval '6 hours') - interval '2 months')::date`;
});
afterAll(async () => {
  await app.stop();
  await smtp.close();
});

const isDue = async () => (await mails.due('', 10)).length > 0;

/** And a hundredth of a second: what is kept to the millisecond may be rounded up. */
const anHourPasses = () =>
  app.database.sql`update month_mails set refused_at = refused_at - interval '3600.01 seconds'`;

test('the results of a month come once: beside the month before, with a picture whose text says them, and nothing of a patient', async () => {
  await mails.mailMonth(accountId);
  await mails.mailMonth(accountId);

  const [mail, ...others] = smtp.mails;
  const parts = partsOf(mail?.text ?? '');
  const [, address] = /^(https:\S+\?from=\S+)$/m.exec(parts.text ?? '') ?? [];
  const { current, before } = (await app.request('GET', `/results${new URL(address ?? '').search}`, { bearer })).body;
  const rehearsed = (await app.request('GET', `/results${new URL(address ?? '').search}&simulated=true`, { bearer }))
    .body;
  const month = new URL(address ?? '').searchParams.get('from') ?? '';
  const [name, nameBefore] = [
    monthNamed(month),
    monthNamed(`${new Date(Date.parse(month) - 1).toISOString().slice(0, 7)}-01`),
  ];
  const difference = Math.abs(current.recoveredPatients - before.recoveredPatients);
  const names = await app.database.sql<{ name: string }>`
    select distinct last_name as name from patients where clinic_id = ${app.clinic.clinicId} and length(last_name) > 3`;

  expect(others).toEqual([]);
  expect(mail?.to).toBe(app.clinic.email);
  expect(current.opened).toBeGreaterThan(0);
  expect(rehearsed.current.opened).toBeGreaterThan(current.opened);
  expect(parts.text).toContain(
    `Recovered patients: ${current.recoveredPatients} (${difference === 0 ? 'as' : difference}`,
  );
  expect(mail?.text).toContain(`Subject: ${name} at `);
  expect(parts.text).toMatch(new RegExp(`^${name} at .+, compared with ${nameBefore}:$`, 'm'));
  expect(parts.html).toContain(`Compared with ${nameBefore}.`);
  for (const said of [parts.text, parts.html]) {
    expect(said).toContain(
      `${current.opened} cases were opened in ${name}, ${current.recovered} of them recovered; in ${nameBefore} ${before.opened} and ${before.recovered}.`,
    );
    for (const amount of [current.valueRecovered, current.callCost, current.net])
      expect(said).toContain(dollars(amount));
    expect(said).toContain('turned off on the page of results');
    expect(names.filter((each) => said?.includes(each.name))).toEqual([]);
  }
  expect(parts.html).toContain(`alt="${current.opened} cases were opened`);
  // Half of its points, for screens that have twice as many.
  expect(parts.html).toContain(
    `width="${(parts.png?.readUInt32BE(16) ?? 0) / 2}" height="${(parts.png?.readUInt32BE(20) ?? 0) / 2}"`,
  );
  const { colours, coloursOfRow, picture } = pixelsOf(parts.png);
  expect(picture).toEqual({ width: 1_120, height: 360, bytes: (1 + 3 * 1_120) * 360 });
  // The ground is four pixels high, and goes from edge to edge.
  for (const row of [356, 357, 358, 359]) expect(coloursOfRow(row)).toEqual(['#ced4da']);
  expect(coloursOfRow(355)).not.toContain('#ced4da');
  // The page, columns of what was opened and recovered, strokes for the month before, and the ground.
  expect(colours).toEqual(['#0e6b66', '#495057', '#a6d8d3', '#ced4da', '#ffffff']);
  expect(await isDue()).toBe(false);
});

test.each([4, 8])(
  'the picture has a column for each day, and a stroke for the month before, as high as their most: %d cases',
  async (most) => {
    const due = await app.stores.monthMails.dueMonth(accountId);
    const months = [due?.month ?? '', `${new Date(Date.parse(due?.month ?? '') - 1).toISOString().slice(0, 7)}-01`];
    const on = (its: string, day: number, counts: Partial<CaseCounts>) => ({
      ...noCases,
      ...counts,
      date: `${its.slice(0, 8)}0${day}`,
    });
    const [month = '', monthBefore = ''] = months;
    const byDay = [
      [on(month, 1, { opened: 4, recovered: 2 }), on(month, 3, { opened: 1 })],
      [on(monthBefore, 1, { recovered: 1, opened: 9 }), on(monthBefore, 2, { recovered: most === 4 ? 3 : most })],
    ];
    const { results } = app.stores;
    const of: typeof results.of = async (clinicId, asked) => {
      const days = byDay.shift() ?? [];
      return { ...(await results.of(clinicId, asked)), byDay: days };
    };
    const mail = createMail(readWorkerConfig(app.env), createLog({ process: 'test', level: 'silent' }));
    await createMonthMails({
      stores: { ...app.stores, results: { ...results, of } },
      mail,
      publicUrl: dashboard,
    }).mailMonth(accountId);

    const { html, png } = partsOf(smtp.mails[0]?.text ?? '');
    const { across, down } = pixelsOf(png);
    const daysOf = (each: string) => new Date(Date.UTC(+each.slice(0, 4), +each.slice(5, 7), 0)).getUTCDate();
    const step = 1_120 / Math.max(...months.map(daysOf));
    const at = (day: number) => Math.round(day * step);
    const runs = (...edges: [string, number][]) =>
      edges.map(([colour, until], index) => [colour, until - (edges[index - 1]?.[1] ?? 0)]);
    const [white, opened, recovered, before, ground] = ['#ffffff', '#a6d8d3', '#0e6b66', '#495057', '#ced4da'] as const;
    const top = (cases: number) => 356 - (cases * 348) / most;
    const stroke = (cases: number): [number, number] => [top(cases) - 3, top(cases) + 3];
    const edge = ([from, until]: [number, number]) => [Math.round(from), Math.round(until)] as const;
    const [first, firstEnd] = edge(stroke(1));
    const [second, secondEnd] = edge(stroke(most === 4 ? 3 : most));

    expect(html).toContain(`the picture is ${most} cases high.`);
    expect(down(at(0.5))).toEqual(
      runs(
        [white, Math.round(top(4))],
        [opened, Math.round(top(2))],
        [recovered, first],
        [before, firstEnd],
        [recovered, 356],
        [ground, 360],
      ),
    );
    expect(down(at(1.5))).toEqual(runs([white, second], [before, secondEnd], [white, 356], [ground, 360]));
    expect(down(at(2.5))).toEqual(runs([white, Math.round(top(1))], [opened, 353], [before, 356], [ground, 360]));
    expect(across(first)).toEqual(runs([before, at(1)], [white, 1_120]));
    // Where the month before was less, the column of the first day is as high as that.
    const firstDay: [string, number][] =
      most === 4
        ? [
            [white, at(0.15)],
            [opened, at(0.85)],
          ]
        : [];
    expect(across(second)).toEqual(runs(...firstDay, [white, at(1)], [before, at(2)], [white, 1_120]));
    expect(across(345)).toEqual(
      runs([white, at(0.15)], [recovered, at(0.85)], [white, at(2.15)], [opened, at(2.85)], [white, 1_120]),
    );
  },
);

test('who was told a month was told alone', async () => {
  const { sql } = app.database;
  await sql`
    insert into month_mails (user_id, clinic_id, told_month)
    select id, clinic_id, '2020-01-01' from users where id <> ${accountId} and clinic_id is not null limit 1`;

  const claimed = await app.stores.monthMails.claim(accountId, '2020-02-01');
  await sql`update month_mails set told_month = '2020-01-01' where user_id = ${accountId}`;
  const again = await app.stores.monthMails.claim(accountId, '2020-02-01');
  const told = await sql<{ month: string }>`
    delete from month_mails where user_id <> ${accountId} returning told_month::text as month`;

  expect([claimed, again, told]).toEqual([false, true, [{ month: '2020-01-01' }]]);
});

test('a month is due from six in the morning of the first after it, by the clinic’s clock, for those whose role sees results', async () => {
  const { monthMails } = app.stores;
  const dueAt = (now: string) => monthMails.due('', 10, now);
  await monthMails.want(app.clinic.clinicId, accountId, false);
  await monthMails.want(app.clinic.clinicId, accountId, true, '2026-11-15T12:00:00.000Z');

  expect(await dueAt('2026-12-01T12:59:59.000Z')).toEqual([]);
  expect(await dueAt('2026-12-01T13:00:00.000Z')).toEqual([accountId]);
  expect(await monthMails.dueMonth(accountId, '2027-02-01T13:00:00.000Z')).toMatchObject({
    month: '2027-01-01',
    toldMonth: '2026-10-01',
  });
  await app.database.sql`update users set role = 'staff' where id = ${accountId}`;
  expect(await dueAt('2026-12-01T13:00:00.000Z')).toEqual([]);
  await app.database.sql`update users set role = 'admin' where id = ${accountId}`;
});

test('of two processes that send one month the server keeps one mail, whichever is slower', async () => {
  const waiting = smtp.holdText();
  const slow = mails.mailMonth(accountId);
  const goOn = await waiting;
  await mails.mailMonth(accountId);
  goOn();
  await slow;

  expect(smtp.mails).toHaveLength(1);
  expect(await isDue()).toBe(false);
});

test('a process that ends before the last line has sent nothing, and another sends it', async () => {
  const { monthMails } = app.stores;
  const ends = () => Promise.reject(new Error('the process ends here'));
  const stores = { ...app.stores, monthMails: { ...monthMails, claim: ends, giveBack: () => Promise.resolve() } };
  const mail = createMail(readWorkerConfig(app.env), createLog({ process: 'test', level: 'silent' }));

  await createMonthMails({ stores, mail, publicUrl: dashboard }).mailMonth(accountId);
  expect(smtp.mails).toEqual([]);
  await mails.mailMonth(accountId);

  expect(smtp.mails).toHaveLength(1);
});

test('a process that ends once it has sent the last line, before it heard of it, has sent it: nobody sends it again', async () => {
  const goOn = smtp.cutOff();
  await mails.mailMonth(accountId);
  goOn();
  await anHourPasses();
  await mails.mailMonth(accountId);

  expect(smtp.mails).toHaveLength(1);
  expect(await isDue()).toBe(false);
});

test.each(['recipient', 'end'] as const)(
  'what the server refuses at the %s is tried again after an hour',
  async (at) => {
    const goOn = smtp.refuse(at);
    await mails.mailMonth(accountId);
    goOn();

    expect(await isDue()).toBe(false);
    await anHourPasses();
    expect(await isDue()).toBe(true);
    await mails.mailMonth(accountId);
    expect(smtp.mails).toHaveLength(1);
  },
);

test('it is chosen by those who see results, and refused where the service sends no mail', async () => {
  const staff = await app.request('PUT', '/results/mail', { bearer: await app.staff(), body: { isWanted: true } });
  const off = await app.request('PUT', '/results/mail', { bearer, body: { isWanted: false } });
  const withoutMail = await startApp({ hasWorker: false });
  const refused = await withoutMail.request('PUT', '/results/mail', {
    bearer: await withoutMail.admin(),
    body: { isWanted: true },
  });
  await withoutMail.stop();

  expect(staff.status).toBe(403);
  expect(off.body).toEqual({ isWanted: false, hasMail: true, email: app.clinic.email });
  expect(refused.status).toBe(409);
});

const dollars = (amount: number) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(amount);

/** The parts of a mail, decoded. */
function partsOf(mail: string): { text?: string; html?: string; png?: Buffer } {
  const [head = '', ...rest] = mail.split('\n\n');
  const body = rest.join('\n\n');
  const headers = head.replaceAll(/\n\s+/g, ' ');
  const [, boundary] = /boundary="?([^";\n]+)"?/i.exec(headers) ?? [];
  if (boundary) {
    const inner = body.split(`--${boundary}`).slice(1, -1);
    return Object.assign({}, ...inner.map((part) => partsOf(part.replace(/^\n/, ''))));
  }
  const decoded = /transfer-encoding: base64/i.test(headers)
    ? Buffer.from(body, 'base64')
    : Buffer.from(
        /transfer-encoding: quoted-printable/i.test(headers)
          ? body
              .replaceAll('=\n', '')
              .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`)))
          : body,
        'latin1',
      );
  if (/content-type: image\/png/i.test(headers)) return { png: decoded };
  return /content-type: text\/html/i.test(headers) ? { html: decoded.toString() } : { text: decoded.toString() };
}

/** How large a picture says it is, and how many bytes its pixels are. */
const monthNamed = (day: string) =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'long', year: 'numeric' }).format(new Date(day));

function pixelsOf(png: Buffer = Buffer.alloc(0)) {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  expect(png.subarray(-12).toString('latin1')).toBe('\0\0\0\0IEND\xae\x42\x60\x82');
  const length = png.readUInt32BE(33);
  const [width, rows] = [png.readUInt32BE(16), inflateSync(png.subarray(41, 41 + length))];
  const height = png.readUInt32BE(20);
  const colourAt = (x: number, y: number) => {
    const at = y * (1 + 3 * width) + 1 + 3 * x;
    return `#${rows.toString('hex', at, at + 3)}`;
  };
  const numbers = (count: number) => [...Array(count).keys()];
  const coloursOfRow = (y: number) => [...new Set(numbers(width).map((x) => colourAt(x, y)))].toSorted();
  const colours = new Set(numbers(height).flatMap(coloursOfRow));
  /** What a line of pixels goes through, each colour with how far. */
  const runsOf = (line: string[]) => {
    const runs: [string, number][] = [];
    for (const colour of line) {
      const last = runs.at(-1);
      if (last?.[0] === colour) last[1] += 1;
      else runs.push([colour, 1]);
    }
    return runs;
  };
  return {
    picture: { width, height, bytes: rows.length },
    colours: [...colours].toSorted(),
    coloursOfRow,
    across: (y: number) => runsOf(numbers(width).map((x) => colourAt(x, y))),
    down: (x: number) => runsOf(numbers(height).map((y) => colourAt(x, y))),
  };
}
