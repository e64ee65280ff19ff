import { createTaskMails } from '@clinic/activities/task-mails';
import { createMail } from '@clinic/gateways/mail/mail';
import { newId } from '@clinic/shared/crypto';
import { alarmKinds } from '@clinic/shared/domain/tasks/alarms';
import { createLog } from '@clinic/shared/log';
import { type SmtpServer, startSmtpServer } from '../support/outside/smtp-server';
import { openRecords, type Records } from '../support/records';

const dashboard = 'https://clinic.example';
const log = createLog({ process: 'test', level: 'silent' });

let records: Records;
let smtp: SmtpServer;
let clinicId: string;

beforeAll(async () => {
  [records, smtp] = await Promise.all([openRecords(), startSmtpServer()]);
});
beforeEach(async () => {
  smtp.mails.length = 0;
  clinicId = await records.aClinic('Harbor');
});
afterAll(() => Promise.all([records.close(), smtp.close()]));

const mailsBy = (url: string | undefined) =>
  createTaskMails({
    stores: records.stores,
    mail: createMail({ SMTP_URL: url, MAIL_FROM: 'no-reply@service.example', PUBLIC_URL: dashboard }, log),
    publicUrl: dashboard,
  });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

/** An administrator of the clinic, who wants mail about new tasks where it is said. */
async function anAdmin({ wantsMail = false } = {}): Promise<string> {
  const id = newId();
  const email = `${id}@harbor.example`;
  const { prisma } = records.database;
  await prisma.user.create({ data: { id, clinicId, name: 'Ann', email, role: 'admin' } });
  if (wantsMail) await prisma.taskMail.create({ data: { userId: id, clinicId, toldUntil: ago(3_600) } });
  return id;
}
/** Tasks that were opened half an hour ago, one second after the other. */
async function tasks(...reasons: string[]): Promise<string[]> {
  const data = reasons.map((reason, index) => ({
    id: newId(),
    clinicId,
    cause: newId(),
    reason,
    createdAt: ago(1_800 - index),
  }));
  await records.database.prisma.staffTask.createMany({ data });
  return data.map(({ id }) => id);
}
/** The subject and the text of each mail. */
const sent = () =>
  smtp.mails.map(({ text }) => {
    const [head = '', ...body] = text.split('\n\n');
    const subject = /^Subject: (.*)$/m.exec(head)?.[1];
    const readable = body.join('\n\n').replaceAll('=\n', '').replaceAll('=C3=97', '×').replaceAll('=3D', '=').trim();
    return { subject, text: readable.split('\n') };
  });

test.each<[string[], string, string[]]>([
  [['bad_number'], 'A new task', ['  1 × bad number']],
  [['bad_number', 'bad_number'], '2 new tasks', ['  2 × bad number']],
  [['follow_up_required', 'bad_number', 'bad_number'], '3 new tasks', ['  2 × bad number', '  1 × follow up required']],
])('of the new tasks %j is said how many there are and why', async (reasons, title, lines) => {
  const id = await anAdmin({ wantsMail: true });
  await tasks(...reasons);

  await mailsBy(smtp.url).mailNews(id);

  const [mail, ...others] = sent();
  expect(others).toEqual([]);
  expect(mail?.subject).toBe(`${title} at Harbor`);
  expect(mail?.text).toEqual([
    `${title} at Harbor:`,
    '',
    ...lines,
    '',
    `${dashboard}/tasks`,
    '',
    `My account, Notifications, turns these mails off: ${dashboard}/my-account`,
  ]);
});

test.each<[number, string]>([
  [1, 'An alarm'],
  [2, '2 alarms'],
  [20, '20 alarms'],
  [21, '21 alarms'],
])('of %i alarms each is named with where to look, twenty at most', async (count, title) => {
  const id = await anAdmin();
  const kinds = Array.from({ length: count }, (_each, index) => alarmKinds[index % alarmKinds.length] ?? 'bulk_reads');
  const ids = await tasks(...kinds);

  await mailsBy(smtp.url).mailNews(id);

  const [mail, ...others] = sent();
  expect(others).toEqual([]);
  expect(mail?.subject).toBe(`${title} at Harbor`);
  const lines = kinds.map((kind, index) => `  ${kind.replaceAll('_', ' ')}: ${dashboard}/tasks?task=${ids[index]}`);
  expect(mail?.text.slice(0, -2)).toEqual([`${title} at Harbor:`, '', ...lines.slice(0, 20)]);
});

test('what could not be sent is told with the next mail, and what was sent is told once', async () => {
  const id = await anAdmin({ wantsMail: true });
  await tasks('bad_number', 'bulk_reads');
  const mails = mailsBy(smtp.url);
  const isDue = async () => (await mails.peopleToMail('', 1_000)).includes(id);

  const accept = smtp.refuse('end');
  await mails.mailNews(id);
  accept();
  const stillDue = await isDue();
  await mails.mailNews(id);
  const due = await isDue();
  await mails.mailNews(id);

  expect([stillDue, due]).toEqual([true, false]);
  expect(sent().map(({ subject }) => subject)).toEqual(['An alarm at Harbor', 'A new task at Harbor']);
});

test('who is due is found in the order of ids, once, a page at a time, and nobody is where no mail is sent', async () => {
  const people: string[] = [];
  const wanting = new Set<string>();
  // Some for both, some for an alarm alone.
  for (const wantsMail of [true, false, true, false, false]) {
    const id = await anAdmin({ wantsMail });
    people.push(id);
    if (wantsMail) wanting.add(id);
  }
  people.sort();
  const opened = await tasks('bad_number', 'emergency_access');
  const mails = mailsBy(smtp.url);
  const ours = async (after: string) => (await mails.peopleToMail(after, 1_000)).filter((id) => people.includes(id));

  expect(await mails.peopleToMail(people[0]!, 2)).toEqual(people.slice(1, 3));
  expect(await ours('')).toEqual(people);
  expect(await ours(people[1]!)).toEqual(people.slice(2));
  expect(await mails.peopleToMail(people.at(-1)!, 2)).not.toContain(people.at(-1));
  expect(await mailsBy(undefined).peopleToMail('', 1_000)).toEqual([]);

  for (const id of people) await records.stores.alarms.told(id, opened);
  expect(await ours('')).toEqual(people.filter((id) => wanting.has(id)));
});
