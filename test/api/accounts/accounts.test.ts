import { createStores, type Stores } from '@clinic/prisma/stores';
import type { Changes } from '@clinic/prisma/changes';
import { oneTimeCode } from '@clinic/accounts/second-factors';
import { changesOf } from '@clinic/api/routes/operations/stream';
import { createLog } from '@clinic/shared/log';
import { createMail } from '@clinic/gateways/mail/mail';
import { createTaskMails } from '@clinic/activities/task-mails';
import { typed } from '../../support/command';
import { type App, startApp } from '../../support/app';
import { fromBase32 } from '../../support/base32';
import { openStream } from '../../support/event-stream';
import { anAuthenticator, type Authenticator } from '../../support/outside/authenticator';
import { eventually } from '../../support/eventually';
import { waitingForLocks } from '../../support/locks';
import { type SmtpServer, startSmtpServer } from '../../support/outside/smtp-server';

const password = 'quiet orange lighthouse';
/** Passkeys are for addresses with a name. */
const dashboard = 'https://dashboard.example';

let app: App;
let smtp: SmtpServer;
let admin: string;
let adminId: string;
/** What another process does, or the operator. */
let elsewhere: Stores;
let people = 0;

beforeAll(async () => {
  smtp = await startSmtpServer();
  app = await startApp({
    hasWorker: false,
    env: { SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@service.example', PUBLIC_URL: dashboard },
  });
  admin = await app.admin();
  adminId = (await get('/auth/session')).body.accountId;
  elsewhere = createStores(app.database, [{ id: 'x', key: Buffer.alloc(32) }]);
}, 240_000);

afterAll(async () => {
  await app.stop();
  await smtp.close();
});

describe('mail about new tasks', () => {
  const later = (minutes: number) =>
    app.database.sql`update task_mails set told_until = told_until - make_interval(mins => ${minutes})`;
  const opened = async (cause: string, assigneeId: string | null = null) => {
    const { clinicId } = app.clinic;
    await app.stores.tasks.open({ clinicId, reason: 'follow_up_required', cause });
    const data = { assigneeId, createdAt: new Date(Date.now() - 60_000) };
    await app.database.prisma.staffTask.update({ where: { clinicId_cause: { clinicId, cause } }, data });
  };

  test('is sent to who wants it, of what nobody else has, not again, and says nothing of a patient', async () => {
    const log = createLog({ process: 'test', level: 'silent' });
    const config = { SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@service.example', PUBLIC_URL: dashboard };
    const stores = app.stores;
    const mails = createTaskMails({ stores, mail: createMail(config, log), publicUrl: dashboard });
    const pass = async () => {
      const due = await mails.peopleToMail('', 100);
      for (const accountId of due) await mails.mailNews(accountId);
    };
    const mine = () => smtp.mails.filter(({ to }) => to === app.clinic.email);
    const before = await get('/auth/notifications');
    const { body } = await app.request('PUT', '/auth/notifications', { bearer: admin, body: { taskMails: true } });
    await opened('mail-one');
    await opened('mail-two');
    await opened('mail-of-another', 'somebody-else');

    await pass();
    const early = mine().length;
    await later(10);
    await pass();
    await later(10);
    await app.database
      .sql`update staff_tasks set created_at = created_at - interval '10 minutes' where cause like 'mail-%'`;
    await pass();
    const told = mine();
    await app.request('PUT', '/auth/notifications', { bearer: admin, body: { taskMails: false } });
    await opened('mail-three');
    await later(10);
    await pass();

    expect(before.body).toMatchObject({ taskMails: false, hasMail: true, email: app.clinic.email });
    expect(body.taskMails).toBe(true);
    expect(early).toBe(0);
    expect(told).toHaveLength(1);
    expect(told[0]?.text).toMatch(/2 new tasks at .*\n[^]*2 (×|=C3=97) follow up required[^]*\/tasks/);
    expect(mine()).toHaveLength(1);
  });
});

describe('an invitation', () => {
  test('makes an account of the clinic with the role that the admin chose, once', async () => {
    const email = anEmail();
    const { status, body } = await post('/accounts/invitations', { email, role: 'staff' });
    const token = tokenOf(body.link);

    const read = await post('/auth/links/read', { token }, null);
    const made = await post('/auth/links/use', { token, name: 'Ines Okafor', password }, null);
    const again = await post('/auth/links/use', { token, name: 'Mallory', password }, null);
    const bearer = await signIn(email);
    const { body: session } = await get('/auth/session', bearer);

    expect([status, body.mail]).toEqual([200, 'sent']);
    expect(read.body).toMatchObject({ kind: 'invitation', email, name: null, clinicName: app.clinic.name });
    expect([made.status, made.body]).toEqual([200, { email }]);
    expect(again.status).toBe(404);
    expect(session).toMatchObject({ name: 'Ines Okafor', role: 'staff', clinicId: app.clinic.clinicId });
    expect(await actionsAbout(session.accountId)).toContain('account.accept-invitation');
  });

  test('is mailed, and its token is not in the database', async () => {
    const email = anEmail();

    const { body } = await post('/accounts/invitations', { email, role: 'staff' });

    const mail = smtp.mails.find(({ to }) => to === email);
    const plain = mail?.text.replaceAll(/=\n/g, '').replaceAll('=3D', '=');
    expect(plain).toContain(body.link);
    const [row] = await app.database.sql<{ text: string | null }>`
      select l::text as text from account_links l where l.email = ${email}`;
    expect(row?.text).not.toContain(tokenOf(body.link));
  });

  test('whose mail is refused says so, and shows the link in any case', async () => {
    smtp.refuse();
    const { status, body } = await post('/accounts/invitations', { email: anEmail(), role: 'staff' });

    expect([status, body.mail]).toEqual([200, 'failed']);
    expect((await post('/auth/links/read', { token: tokenOf(body.link) }, null)).status).toBe(200);
  });

  test('is for one person: a newer one replaces it, and one that is withdrawn or has expired opens nothing', async () => {
    const email = anEmail();
    const first = await post('/accounts/invitations', { email, role: 'staff' });
    const second = await post('/accounts/invitations', { email, role: 'admin' });
    const replaced = await post('/auth/links/read', { token: tokenOf(first.body.link) }, null);
    const listed = (await get('/accounts/invitations')).body.items.filter(
      (each: { email: string }) => each.email === email,
    );
    await app.database
      .sql`update account_links set expires_at = now() - interval '1 second' where id = ${second.body.id}`;
    const expired = await post('/auth/links/use', { token: tokenOf(second.body.link), name: 'N', password }, null);
    const third = await post('/accounts/invitations', { email, role: 'staff' });

    const withdrawn = await app.request('DELETE', `/accounts/invitations/${third.body.id}`, { bearer: admin });

    const opened = await post('/auth/links/read', { token: tokenOf(third.body.link) }, null);
    expect(listed).toMatchObject([{ id: second.body.id, role: 'admin' }]);
    expect([replaced, expired, withdrawn, opened].map(({ status }) => status)).toEqual([404, 404, 204, 404]);
  });

  test('is refused for a person who has an account of the clinic, and by who is no admin', async () => {
    const known = await post('/accounts/invitations', { email: app.clinic.staff.email.toUpperCase(), role: 'admin' });
    const byStaff = await post('/accounts/invitations', { email: anEmail(), role: 'admin' }, await app.staff());

    expect([known.status, byStaff.status]).toEqual([409, 403]);
  });

  test.each([
    ['too short', 'elevenchars', 'must be at least 12 characters long'],
    ['too long', 'é'.repeat(129), 'must be at most 128 characters long'],
    ['on the list', '1qaz2wsx3edc', 'is one that many people use'],
    ['of the list with something added', 'sunshine2026!', 'is one that many people use'],
    ['a piece that repeats', 'xyzxyzxyzxyz', 'must not be one piece that repeats'],
    ['a row', '123456789012', 'must not be one piece that repeats'],
    ['the name of the clinic', 'CedarFamily12', 'must not be made of your e-mail address'],
  ])('takes no password that is %s, and says so at the field', async (_, weak, why) => {
    const { body } = await post('/accounts/invitations', { email: anEmail(), role: 'staff' });

    const refused = await post('/auth/links/use', { token: tokenOf(body.link), name: 'N', password: weak }, null);

    expect(refused.status).toBe(400);
    expect(refused.body.details).toEqual([{ path: 'password', message: expect.stringContaining(why) }]);
  });

  test('of an e-mail that has an account elsewhere is told so to the person alone', async () => {
    const invited = await post('/accounts/invitations', { email: app.otherClinic.email, role: 'staff' });

    const used = await post('/auth/links/use', { token: tokenOf(invited.body.link), name: 'N', password }, null);

    expect([invited.status, used.status]).toEqual([200, 409]);
    await app.request('DELETE', `/accounts/invitations/${invited.body.id}`, { bearer: admin });
  });
});

describe('an account', () => {
  test('that is disabled ends at once, with its stream, also where another process did it; enabled, it signs in again', async () => {
    const { id, email, bearer } = await aPerson();
    const stream = await openStream(app.baseUrl, bearer);

    await elsewhere.staff.disable({ clinicId: app.clinic.clinicId, id }, { actor: 'operator' });
    await stream.ended;

    const [session, refused, wrong] = [
      await get('/auth/session', bearer),
      await post('/auth/sign-in/email', { email, password }, null),
      await post('/auth/sign-in/email', { email, password: 'something else' }, null),
    ];
    expect([session.status, refused.status]).toEqual([401, 401]);
    expect(refused.text).toBe(wrong.text);
    expect((await post(`/accounts/${id}/enable`)).status).toBe(204);
    expect(await signIn(email)).toMatch(/\./);
    expect(await actionsAbout(id)).toEqual(expect.arrayContaining(['account.disable', 'account.enable']));
  });

  test('that is disabled by an admin is refused with the next request, and its link opens nothing', async () => {
    const { id, bearer } = await aPerson();
    const { body } = await post(`/accounts/${id}/reset`);

    const disabled = await post(`/accounts/${id}/disable`);

    const [session, link, reset] = [
      await get('/auth/session', bearer),
      await post('/auth/links/read', { token: tokenOf(body.link) }, null),
      await post(`/accounts/${id}/reset`),
    ];
    expect([disabled.status, session.status, link.status, reset.status]).toEqual([204, 401, 404, 409]);
    const { body: staff } = await get('/staff');
    expect(staff.items.some((each: { id: string }) => each.id === id)).toBe(false);
  });

  test('gets another role, which counts for the next request', async () => {
    const { id, bearer } = await aPerson();

    const { status } = await app.request('PATCH', `/accounts/${id}`, { body: { role: 'admin' }, bearer: admin });

    expect([status, (await get('/accounts', bearer)).status]).toEqual([204, 200]);
    await app.request('PATCH', `/accounts/${id}`, { body: { role: 'staff' }, bearer: admin });
    expect((await get('/accounts', bearer)).status).toBe(403);
  });

  test('is neither disabled by oneself nor demoted or disabled as the last admin', async () => {
    const { id } = await aPerson('admin');
    const oneself = await post(`/accounts/${adminId}/disable`);
    await post(`/accounts/${id}/disable`);

    const demoted = await app.request('PATCH', `/accounts/${adminId}`, { body: { role: 'staff' }, bearer: admin });
    const last = elsewhere.staff.disable({ clinicId: app.clinic.clinicId, id: adminId }, { actor: 'operator' });

    expect([oneself.status, demoted.status]).toEqual([409, 409]);
    await expect(last).rejects.toMatchObject({ code: 'conflict' });
  });

  test('of two admins who disable each other at once, one stays', async () => {
    const { clinicId } = app.clinic;
    const { id } = await aPerson('admin');

    const both = await app.database.transaction(async (tx) => {
      await tx`select id from users where clinic_id = ${clinicId} for update`;
      const disabling = Promise.allSettled(
        [id, adminId].map((each) => elsewhere.staff.disable({ clinicId, id: each }, { actor: 'operator' })),
      );
      // Both have begun, and neither has seen what the other does.
      await eventually(async () => (await waitingForLocks(app.database)) === 2);
      return { disabling };
    });

    expect((await both.disabling).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    for (const each of [adminId, id]) await elsewhere.staff.enable({ clinicId, id: each }, { actor: 'operator' });
    await elsewhere.staff.disable({ clinicId, id }, { actor: 'operator' });
    admin = await signInAs(app.clinic);
  });

  test('that is reset gets a new password by the link, and its sessions end then', async () => {
    const { id, email, bearer } = await aPerson();
    const { body } = await post(`/accounts/${id}/reset`);
    const before = await get('/auth/session', bearer);

    const set = await post('/auth/links/use', { token: tokenOf(body.link), password: 'a whole new sentence' }, null);

    expect([before.status, set.status]).toEqual([200, 200]);
    expect((await get('/auth/session', bearer)).status).toBe(401);
    expect((await post('/auth/sign-in/email', { email, password }, null)).status).toBe(401);
    expect(await signInAs({ email, password: 'a whole new sentence' })).toMatch(/\./);
    expect(await actionsAbout(id)).toEqual(expect.arrayContaining(['account.reset', 'account.set-password']));
  });

  test('changes its password with the old one, and its other sessions end', async () => {
    const { id, email, bearer } = await aPerson();
    const other = await signIn(email);
    const put = (body: unknown) => app.request('PUT', '/auth/password', { body, bearer });

    const wrong = await put({ password: 'not the one', newPassword: 'a whole new sentence' });
    const weak = await put({ password, newPassword: 'short' });
    const changed = await put({ password, newPassword: 'a whole new sentence' });

    expect([wrong.status, wrong.body.details]).toEqual([400, [{ path: 'password', message: 'is wrong' }]]);
    expect([weak.status, weak.body.details[0].path]).toEqual([400, 'newPassword']);
    expect(changed.status).toBe(200);
    expect([(await get('/auth/session', bearer)).status, (await get('/auth/session', other)).status]).toEqual([
      200, 401,
    ]);
    const [entry] = (await get(`/audit?subject=${id}&action=account.change-password`)).body.items;
    expect(entry).toMatchObject({ actor: `account:${id}`, address: '127.0.0.1', requestId: expect.any(String) });
    expect(await actionsAbout(id)).toContain('password.refused');
  });

  test('is listed for admins with what it is', async () => {
    const { id } = await aPerson();

    const { body } = await get('/accounts');

    const shown = body.items.find((each: { id: string }) => each.id === id);
    expect(shown).toMatchObject({ role: 'staff', disabledAt: null, endsAt: null, hasSecondFactor: false, sessions: 1 });
    expect(body.items.some((each: { email: string }) => each.email === app.otherClinic.email)).toBe(false);
  });
});

describe('sessions', () => {
  test('are listed and ended one by one, and all at once', async () => {
    const { email, bearer } = await aPerson();
    const [second, third] = [await signIn(email), await signIn(email)];
    const { body } = await get('/auth/sessions', bearer);
    const { body: ofSecond } = await get('/auth/sessions', second);
    const secondId = ofSecond.items.find((each: { isCurrent: boolean }) => each.isCurrent).id;

    const ended = await app.request('DELETE', `/auth/sessions/${secondId}`, { bearer });
    const twice = await app.request('DELETE', `/auth/sessions/${secondId}`, { bearer });
    const statuses = [await get('/auth/session', second), await get('/auth/session', third)];
    const everywhere = await app.request('DELETE', '/auth/sessions', { bearer: third });

    expect(body.items).toHaveLength(3);
    expect(body.items.filter((each: { isCurrent: boolean }) => each.isCurrent)).toHaveLength(1);
    expect([ended.status, twice.status, ...statuses.map(({ status }) => status)]).toEqual([204, 404, 401, 200]);
    expect(everywhere.body).toEqual({ ended: 2 });
    expect((await get('/auth/session', bearer)).status).toBe(401);
  });

  test('of an account are shown to an admin, who ends them', async () => {
    const { id, bearer } = await aPerson();

    const { body } = await get(`/accounts/${id}/sessions`);
    const ended = await app.request('DELETE', `/accounts/${id}/sessions`, { bearer: admin });

    expect(body.items).toMatchObject([{ isCurrent: false, address: '127.0.0.1' }]);
    expect(ended.body).toEqual({ ended: 1 });
    expect((await get('/auth/session', bearer)).status).toBe(401);
  });

  test('get no more time from what happens in the background', async () => {
    const { id, bearer } = await aPerson();
    await app.database.sql`update sessions set expires_at = now() + interval '1 hour' where user_id = ${id}`;
    const forget = () => app.database.sql`update users set updated_at = now() where id = ${id}`;
    const minutesLeft = async () => {
      const [row] = await app.database.sql<{ minutes: number }>`
        select round(extract(epoch from expires_at - now()) / 60)::int4 as minutes from sessions where user_id = ${id}`;
      return row?.minutes;
    };
    await forget();

    for (const path of ['/tasks', '/auth/session'])
      await app.request('GET', path, { bearer, headers: { 'x-background': '1' } });
    const stream = await openStream(app.baseUrl, bearer);
    stream.close();
    const fault = { id: '4f0c19d2a7be', page: 'tasks', kind: 'TypeError', frames: [] };
    const told = await app.request('POST', '/dashboard/faults', { bearer, body: fault });
    const afterBackground = await minutesLeft();
    await app.request('GET', '/tasks', { bearer });

    expect([told.status, afterBackground, await minutesLeft()]).toEqual([204, 60, 720]);
  });

  test('that run out end their streams', async () => {
    let lives = true;
    const heard: string[] = [];
    const changes = { subscribe: () => () => undefined } as unknown as Changes;
    const signal = new AbortController().signal;
    const lasts = async () => lives;
    const feed = {
      clinicId: 'c',
      sessionId: 's',
      accountId: 'a',
      role: 'staff',
      lives: lasts,
      changes,
      signal,
    } as const;

    for await (const message of changesOf(feed, { heartbeatMs: 5, askMs: 5 })) {
      heard.push(message);
      if (heard.length === 2) lives = false;
    }

    expect(heard).toHaveLength(2);
  });
});

describe('a second factor', () => {
  test('is asked for at the sign-in once it is confirmed, and each code opens once', async () => {
    const { id, email, bearer } = await aPerson();
    const secret = await begin(bearer);
    const first = await codeOf(secret, 0);
    const confirmed = await post('/auth/second-factor/confirm', { code: first }, bearer);
    const tryIn = (code?: string) => post('/auth/sign-in/email', { email, password, code }, null);

    const needed = await tryIn();
    const replayed = await tryIn(first);
    const next = await codeOf(secret, 1);
    const [opened, twice] = [await tryIn(next), await tryIn(next)];
    const [backup] = confirmed.body.backupCodes;
    const [byBackup, backupTwice] = [await tryIn(backup.toUpperCase()), await tryIn(backup)];

    expect(confirmed.body.backupCodes).toHaveLength(10);
    expect([needed.status, needed.body.details[0].path]).toEqual([401, 'code']);
    expect([replayed, opened, twice, byBackup, backupTwice].map(({ status }) => status)).toEqual([
      401, 200, 401, 200, 401,
    ]);
    expect(opened.body).toEqual({ token: expect.any(String), user: expect.objectContaining({ id, email }) });
    expect((await get('/auth/second-factor', bearer)).body).toEqual({
      isOn: true,
      backupCodesLeft: 9,
      isRequired: false,
    });
    expect(await actionsAbout(id)).toContain('second-factor.enable');
  });

  test('needs the password to be begun and removed, and counts for nothing until it is confirmed', async () => {
    const { email, bearer } = await aPerson();

    const wrong = await post('/auth/second-factor', { password: 'not the one' }, bearer);
    const secret = await begin(bearer);
    const wrongCode = await post('/auth/second-factor/confirm', { code: '000000' }, bearer);
    await signIn(email);
    await post('/auth/second-factor/confirm', { code: await codeOf(secret, 1) }, bearer);
    const again = await post('/auth/second-factor', { password }, bearer);
    const removed = await post('/auth/second-factor/remove', { password }, bearer);

    expect([wrong, wrongCode, again, removed].map(({ status }) => status)).toEqual([400, 400, 409, 204]);
    expect(await signIn(email)).toMatch(/\./);
  });

  test('takes no code after five wrong ones, and an admin removes it for who has lost it', async () => {
    const { id, email, bearer } = await aPerson();
    const secret = await begin(bearer);
    await post('/auth/second-factor/confirm', { code: await codeOf(secret, 0) }, bearer);
    const tryIn = (code?: string) => post('/auth/sign-in/email', { email, password, code }, null);
    for (const code of ['000001', '000002', '000003', '000004', '000005']) await tryIn(code);

    const locked = await tryIn(await codeOf(secret, 1));
    await app.request('DELETE', `/accounts/${id}/second-factor`, { bearer: admin });

    expect(locked.status).toBe(429);
    expect((await tryIn()).status).toBe(200);
    expect(await actionsAbout(id)).toContain('second-factor.remove');
  });

  test('is encrypted at rest', async () => {
    const { id, bearer } = await aPerson();
    const secret = await begin(bearer);

    const [row] = await app.database.sql<{ text: string | null }>`
      select f::text as text from second_factors f where user_id = ${id}`;

    expect(row?.text).not.toContain(secret);
  });

  test('makes the codes of RFC 6238', async () => {
    const codes = await Promise.all([1, 37_037_036].map((step) => oneTimeCode('12345678901234567890', step)));

    expect(codes).toEqual(['287082', '081804']);
  });
});

describe('a passkey', () => {
  test('signs in without the password, which alone opens the account no more, and ends what the password had opened', async () => {
    const { id, email, bearer } = await aPerson();
    const other = await signIn(email);

    const { key, passkey } = await addPasskey(bearer);
    const signedIn = await signInBy(key);

    const byPassword = await post('/auth/sign-in/email', { email, password }, null);
    const { body: mine } = await get('/auth/passkeys', signedIn.body.token);
    expect(passkey).toMatchObject({ name: 'Key of a person', isSynced: false, usedAt: null });
    expect([signedIn.status, signedIn.body.user]).toEqual([200, expect.objectContaining({ id, email })]);
    expect(mine.items).toMatchObject([{ id: passkey.id, usedAt: expect.any(String) }]);
    expect([byPassword.status, byPassword.body.details[0].path]).toEqual([401, 'passkey']);
    expect([(await get('/auth/session', bearer)).status, (await get('/auth/session', other)).status]).toEqual([
      200, 401,
    ]);
    expect(await actionsAbout(id)).toEqual(expect.arrayContaining(['passkey.add', 'sign-in']));
  });

  test('beside one-time codes leaves the password with a code as it was', async () => {
    const { email, bearer } = await aPerson();
    const secret = await begin(bearer);
    await post('/auth/second-factor/confirm', { code: await codeOf(secret, 0) }, bearer);
    const { key } = await addPasskey(bearer);

    const needed = await post('/auth/sign-in/email', { email, password }, null);
    const code = await codeOf(secret, 1);
    const opened = await post('/auth/sign-in/email', { email, password, code }, null);

    expect([needed.body.details[0].path, opened.status, (await signInBy(key)).status]).toEqual(['code', 200, 200]);
  });

  test('is renamed and removed by its owner alone, with the password', async () => {
    const { id, email, bearer } = await aPerson();
    const { key, passkey } = await addPasskey(bearer);
    const stranger = (await aPerson()).bearer;
    const path = `/auth/passkeys/${passkey.id}`;
    const rename = (by: string) => app.request('PATCH', path, { body: { name: 'Blue key' }, bearer: by });

    const renamed = [await rename(stranger), await rename(bearer)];
    const removed = [
      await post(`${path}/remove`, { password }, stranger),
      await post(`${path}/remove`, { password: 'not the one' }, bearer),
      await post(`${path}/remove`, { password }, bearer),
    ];

    expect(renamed.map(({ status }) => status)).toEqual([404, 204]);
    expect(removed.map(({ status }) => status)).toEqual([404, 400, 204]);
    expect((await signInBy(key)).status).toBe(401);
    expect(await signIn(email)).toMatch(/\./);
    expect(await actionsAbout(id)).toEqual(expect.arrayContaining(['passkey.rename', 'passkey.remove']));
  });

  test('and codes are added and removed with the password alone, and each wrong one is noted', async () => {
    const { id, bearer } = await aPerson();
    const secret = await begin(bearer);
    await post('/auth/second-factor/confirm', { code: await codeOf(secret, 0) }, bearer);
    const { key, passkey } = await addPasskey(bearer);
    const wrong = { password: 'not the one' };
    const asking: Record<string, () => ReturnType<App['request']>> = {
      begin: () => post('/auth/second-factor', wrong, bearer),
      remove: () => post('/auth/second-factor/remove', wrong, bearer),
      add: () => post('/auth/passkeys/options', wrong, bearer),
      removePasskey: () => post(`/auth/passkeys/${passkey.id}/remove`, wrong, bearer),
      prove: () => post('/auth/step-up', wrong, bearer),
      change: () => app.request('PUT', '/auth/password', { body: { ...wrong, newPassword: password }, bearer }),
    };
    const noted = () => app.database.prisma.auditEntry.count({ where: { subject: id, action: 'password.refused' } });

    for (const [what, ask] of Object.entries(asking)) {
      const before = await noted();
      const { status, body } = await ask();

      expect([what, status, body.details]).toEqual([what, 400, [{ path: 'password', message: 'is wrong' }]]);
      expect([what, await noted()]).toEqual([what, before + 1]);
    }
    expect((await get('/auth/second-factor', bearer)).body.isOn).toBe(true);
    expect((await signInBy(key)).status).toBe(200);
    expect((await get('/auth/session', bearer)).status).toBe(200);
  });

  test('that is lost is removed by an admin, with the codes', async () => {
    const { id, email, bearer } = await aPerson();
    const { key } = await addPasskey(bearer);

    const { status } = await app.request('DELETE', `/accounts/${id}/second-factor`, { bearer: admin });

    expect([status, (await signInBy(key)).status]).toEqual([204, 401]);
    expect(await signIn(email)).toMatch(/\./);
  });

  test('signs each challenge once, and none that is older than five minutes', async () => {
    const { key } = await addPasskey((await aPerson()).bearer);
    const response = key.get(await challenge());
    const late = key.get(await challenge());
    await app.database
      .sql`update passkey_challenges set expires_at = now() - interval '1 second' where expires_at > now() - interval '1 hour'`;
    const tooLate = await post('/auth/sign-in/passkey', { response: late }, null);
    const fresh = key.get(await challenge());

    const [first, again, expired] = [
      await post('/auth/sign-in/passkey', { response: fresh }, null),
      await post('/auth/sign-in/passkey', { response: fresh }, null),
      await post('/auth/sign-in/passkey', { response }, null),
    ];

    expect([tooLate, first, again, expired].map(({ status }) => status)).toEqual([401, 200, 401, 401]);
  });

  test.each([
    ['from another address', { origin: 'https://dashboard.example.attacker.example' }],
    ['without a finger or a PIN', { isUserVerified: false }],
    ['as a copy, which counts from where the key was copied', { counter: 1 }],
  ])('opens nothing %s, and the audit says so', async (_, how) => {
    const { id, bearer } = await aPerson();
    const { key } = await addPasskey(bearer);
    await signInBy(key);
    await signInBy(key);

    const { status } = await post('/auth/sign-in/passkey', { response: key.get(await challenge(), how) }, null);

    expect(status).toBe(401);
    expect(await actionsAbout(id)).toContain('sign-in.refused');
  });

  test('opens no account that is disabled, and a challenge is used up whatever comes of it', async () => {
    const { id, bearer } = await aPerson();
    const { key } = await addPasskey(bearer);
    await elsewhere.staff.disable({ clinicId: app.clinic.clinicId, id }, { actor: 'operator' });
    const response = key.get(await challenge());
    const refused = await post('/auth/sign-in/passkey', { response }, null);
    await elsewhere.staff.enable({ clinicId: app.clinic.clinicId, id }, { actor: 'operator' });

    const again = await post('/auth/sign-in/passkey', { response }, null);

    expect([refused.status, again.status]).toEqual([401, 401]);
    expect(again.text).toBe(refused.text);
  });

  test('is made for who has begun it, with the password, where the dashboard is', async () => {
    const { bearer } = await aPerson();
    const other = (await aPerson()).bearer;
    const key = anAuthenticator(dashboard);
    const add = (response: unknown, by = bearer) => post('/auth/passkeys', { name: 'K', response }, by);

    const wrong = await post('/auth/passkeys/options', { password: 'not the one' }, bearer);
    const elsewheres = await add(key.create(await creation(bearer), { origin: 'https://elsewhere.example' }));
    const unverified = await add(key.create(await creation(bearer), { isUserVerified: false }));
    const anothers = await add(key.create(await creation(bearer)), other);
    const forSignIn = await add(key.create({ ...(await challenge()), user: { id: 'x' } }));
    const made = key.create(await creation(bearer));
    const [first, again] = [await add(made), await add(made)];
    const known = await add(key.create(await creation(other)), other);

    expect([wrong, elsewheres, unverified, anothers, forSignIn].map(({ status }) => status)).toEqual([
      400, 400, 400, 400, 400,
    ]);
    expect(elsewheres.body.message).toContain(dashboard);
    expect([first, again, known].map(({ status }) => status)).toEqual([200, 400, 409]);
  });

  const challenge = async () => (await post('/auth/sign-in/passkey/options', undefined, null)).body.options;
  const creation = async (bearer: string) => (await post('/auth/passkeys/options', { password }, bearer)).body.options;
  const signInBy = async (key: Authenticator) =>
    post('/auth/sign-in/passkey', { response: key.get(await challenge()) }, null);
  const addPasskey = async (bearer: string) => {
    const key = anAuthenticator(dashboard);
    const response = key.create(await creation(bearer));
    const { body } = await post('/auth/passkeys', { name: 'Key of a person', response }, bearer);
    return { key, passkey: body };
  };
});

describe('the operator', () => {
  test('adds, disables, enables and resets accounts by command, and all of it is in the audit', async () => {
    const { clinicId } = app.clinic;
    const email = anEmail();
    const invitation = await command(`account add --clinic ${clinicId} --email ${email} --role admin`);
    await post('/auth/links/use', { token: tokenOf(invitation.link), name: 'Sam Roe', password }, null);
    const bearer = await signIn(email);

    await command(`account disable --email ${email}`);
    await eventually(async () => (await get('/auth/session', bearer)).status === 401);
    await command(`account enable --email ${email}`);
    const reset = await command(`account reset --email ${email}`);
    await post('/auth/links/use', { token: tokenOf(reset.link), password: 'a whole new sentence' }, null);

    const { accounts } = await command(`account list --clinic ${clinicId}`);
    const account = accounts.find((each: { email: string }) => each.email === email);
    expect(account).toMatchObject({ role: 'admin', disabledAt: null });
    expect(await signInAs({ email, password: 'a whole new sentence' })).toMatch(/\./);
    const { items } = (await get(`/audit?subject=${account.id}&actor=operator`)).body;
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      'account.reset',
      'account.enable',
      'account.disable',
    ]);
    await command(`account disable --email ${email}`);
  });

  test.each([
    ['an unknown e-mail', 'account reset --email nobody@cedar.example', 'no account with the e-mail'],
    ['an unknown clinic', 'account add --clinic none --email a@b.example', 'no clinic none'],
    [
      'a role that is none',
      'account add --clinic CLINIC --email a@b.example --role owner',
      'Allowed choices are admin, manager, staff, auditor',
    ],
    ['a rule that is neither', 'account second-factor --clinic CLINIC --required maybe', 'Allowed choices are yes, no'],
    ['an emergency without a reason', 'emergency --clinic CLINIC', "required option '--reason <why>'"],
    [
      'an emergency without an end',
      'emergency --clinic CLINIC --reason restore-the-records --minutes 0',
      'a whole number from 1 to 240',
    ],
    ['what is no command', 'account remove --email a@b.example', 'Usage:'],
  ])('is told what is wrong with %s', async (_, line, why) => {
    await expect(command(line.replace('CLINIC', app.clinic.clinicId))).rejects.toThrow(why);
  });

  test('gets into a clinic in an emergency, with an alarm, changes no account, and is out when the time is over', async () => {
    const { clinicId } = app.clinic;
    const emergency = await command(`emergency --clinic ${clinicId} --reason records-are-locked --minutes 30`);
    const bearer = await signInAs(emergency);
    const [read, invited] = [
      await get('/patients', bearer),
      await post('/accounts/invitations', { email: anEmail(), role: 'admin' }, bearer),
    ];
    const tasks = (await get('/tasks?reason=emergency_access')).body.items;
    const entry = (await get(`/audit?subject=${emergency.accountId}&action=emergency.begin`)).body.items[0];

    await app.database.sql`update users set ends_at = now() - interval '1 second' where id = ${emergency.accountId}`;

    await eventually(async () => (await get('/patients', bearer)).status === 401);
    const { email, password: given } = emergency;
    const again = await post('/auth/sign-in/email', { email, password: given }, null);
    expect([read.status, invited.status, again.status]).toEqual([200, 403, 401]);
    expect(tasks).toMatchObject([{ detail: { reason: 'records-are-locked', minutes: 30 } }]);
    expect(entry).toMatchObject({ actor: 'operator', detail: { reason: 'records-are-locked', minutes: 30 } });
  });
});

describe('a clinic that requires a second factor', () => {
  afterEach(() => command(`account second-factor --clinic ${app.clinic.clinicId} --required no`));

  test('lets who has none do nothing but set one up, also in a session that is open, and then everything', async () => {
    const { id, bearer } = await aPerson();
    await setUp(admin);
    const stream = await openStream(app.baseUrl, bearer);

    const required = await app.request('PUT', '/accounts/second-factor', { body: { isRequired: true }, bearer: admin });
    await stream.ended;

    const refused = await get('/patients', bearer);
    const again = await post(
      '/auth/sign-in/email',
      { email: (await get('/auth/session', bearer)).body.email, password },
      null,
    );
    const allowed = await get('/auth/session', bearer);
    const { body: state } = await get('/auth/second-factor', bearer);
    const secret = await begin(bearer);
    await post('/auth/second-factor/confirm', { code: await codeOf(secret, 0) }, bearer);
    const afterwards = await get('/patients', bearer);
    expect(required.body).toEqual({ isRequired: true, withoutOne: expect.any(Number) });
    expect(refused.status).toBe(403);
    expect(refused.body.details).toEqual([{ path: 'secondFactor', message: 'must be set up first' }]);
    expect([again.status, (await get('/tasks', again.body.token)).status]).toEqual([200, 401]);
    expect(allowed.body).toMatchObject({ accountId: id, needsSecondFactor: true });
    expect(state).toMatchObject({ isOn: false, isRequired: true });
    expect(afterwards.status).toBe(200);
    expect((await get('/auth/session', bearer)).body.needsSecondFactor).toBe(false);
    expect(await actionsAbout(app.clinic.clinicId)).toContain('second-factor.require');
  });

  test('asks neither keys nor emergency access, and another clinic stays as it is', async () => {
    const { clinicId, apiKey } = app.clinic;
    const emergency = await command(`emergency --clinic ${clinicId} --reason records-are-locked --minutes 30`);
    const [byEmergency, ofOther] = [await signInAs(emergency), await signInAs(app.otherClinic)];

    expect(await command(`account second-factor --clinic ${clinicId} --required yes`)).toEqual({
      clinicId,
      isSecondFactorRequired: true,
    });

    const seen = [
      await get('/patients', byEmergency),
      await get('/patients', ofOther),
      await get('/workflows', apiKey),
    ];
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('is asked so by an admin who has one, and by nobody in an emergency', async () => {
    const { clinicId } = app.clinic;
    const without = await aPerson('admin');
    const emergency = await command(`emergency --clinic ${clinicId} --reason records-are-locked --minutes 30`);
    const put = (bearer: string) =>
      app.request('PUT', '/accounts/second-factor', { body: { isRequired: true }, bearer });

    const statuses = [await put(without.bearer), await put(await signInAs(emergency)), await put(await app.staff())];
    await elsewhere.staff.disable({ clinicId, id: without.id }, { actor: 'operator' });

    expect(statuses.map(({ status }) => status)).toEqual([409, 403, 403]);
    expect((await get('/accounts/second-factor')).body.isRequired).toBe(false);
  });

  test('asks again who removes the last factor', async () => {
    const { bearer } = await aPerson();
    const secret = await begin(bearer);
    await post('/auth/second-factor/confirm', { code: await codeOf(secret, 0) }, bearer);
    await command(`account second-factor --clinic ${app.clinic.clinicId} --required yes`);
    await eventually(async () => (await get('/tasks', bearer)).status === 200);

    await post('/auth/second-factor/remove', { password }, bearer);

    expect((await get('/tasks', bearer)).status).toBe(403);
  });

  /** One-time codes, if there are none yet. */
  const setUp = async (bearer: string) => {
    const begun = await post('/auth/second-factor', { password: app.clinic.password }, bearer);
    const secret = fromBase32(begun.body.secret);
    await post('/auth/second-factor/confirm', { code: await codeOf(secret, 0) }, bearer);
  };
});

/** `npm run clinic -- …`, in this process. */
// eslint-disable-next-line typescript/no-explicit-any
async function command(line: string): Promise<any> {
  return (await typed(['clinic', ...line.split(' ')], app.env)).shown;
}

const anEmail = () => `person-${(people += 1)}@cedar-people.example`;
const get = (path: string, bearer = admin) => app.request('GET', path, { bearer });
const post = (path: string, body?: unknown, bearer: string | null = admin) =>
  app.request('POST', path, { body, bearer: bearer ?? undefined });
const tokenOf = (link: string) => link.slice(link.indexOf('#') + 1);

async function signInAs(credentials: { email: string; password: string }): Promise<string> {
  const { body } = await post('/auth/sign-in/email', credentials, null);
  return body.token;
}
const signIn = (email: string) => signInAs({ email, password });

/** An account that was invited, with a session. */
async function aPerson(role: 'admin' | 'staff' = 'staff'): Promise<{ id: string; email: string; bearer: string }> {
  const email = anEmail();
  const { body } = await post('/accounts/invitations', { email, role });
  await post('/auth/links/use', { token: tokenOf(body.link), name: `Person ${people}`, password }, null);
  const bearer = await signIn(email);
  return { id: (await get('/auth/session', bearer)).body.accountId, email, bearer };
}

/** The secret as the authenticator has it. */
async function begin(bearer: string): Promise<string> {
  const { body } = await post('/auth/second-factor', { password }, bearer);
  return fromBase32(body.secret);
}

const codeOf = (secret: string, stepsOn: 0 | 1) => oneTimeCode(secret, Math.floor(Date.now() / 30_000) + stepsOn);

async function actionsAbout(subject: string): Promise<string[]> {
  return eventually(async () => {
    const { body } = await get(`/audit?subject=${subject}`);
    return body.items.map(({ action }: { action: string }) => action);
  });
}
