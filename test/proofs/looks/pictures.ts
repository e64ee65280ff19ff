import { join } from 'node:path';
import { root } from '@clinic/local/paths';
import { demoPolicy } from '@clinic/prisma/fixtures';
import type { BenchStack } from '../bench/stack';
import type { TestBrowser } from '../../support/browser';
import { fill } from '../../support/fill';

/**
 * Takes the README's pictures again. The worker plays the scenes, in the second clinic; the first has been at work for a while, and
 * is filled only where nothing is on record yet.
 */
export async function takePictures(stack: BenchStack, browser: TestBrowser): Promise<void> {
  const { api, clinic, emptyClinic, database, stores, post, get } = stack;
  const { clinicId } = clinic;
  const tokenOf = async ({ email, password }: typeof clinic): Promise<string> => {
    const signedIn = await post(`${api}/auth/sign-in/email`, { email, password });
    return (JSON.parse(signedIn) as { token: string }).token;
  };
  const tokens = { atWork: await tokenOf(clinic), ofScenes: await tokenOf(emptyClinic) };
  const visit = async (whose: keyof typeof tokens, colorScheme: 'light' | 'dark' = 'light') => {
    const page = await browser.visit({ token: tokens[whose], colorScheme });
    await page.setViewportSize({ width: 1440, height: 900 });
    return page;
  };
  const save = async (page: Awaited<ReturnType<typeof visit>>, name: string) => {
    await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(root, 'docs/images', `${name}.png`) });
  };

  const timeZone = zoneByDay();
  await database.sql`update clinics set timezone = ${timeZone} where id = ${clinicId}`;
  // On all pictures it is one clinic.
  await database.sql`
    update clinics set (name, timezone) = (select name, timezone from clinics where id = ${clinicId}) where id = ${emptyClinic.clinicId}`;
  await stores.clinics.setPolicy(emptyClinic.clinicId, { ...demoPolicy, firstCallDelaySeconds: 0 });
  await stores.sandbox.setEnabled({ clinicId: emptyClinic.clinicId, isEnabled: true, now: new Date() });
  const scene = await visit('ofScenes');
  await scene.goto('/try-it');
  await scene.getByLabel('Answers at the second attempt, agrees').check();
  await scene.getByRole('button', { name: 'Start the scene' }).click();
  await scene.getByText('Barrier understood').waitFor({ timeout: 60_000 });
  await save(scene, 'try-it');

  const dark = await visit('ofScenes', 'dark');
  await dark.goto('/try-it');
  await dark.getByLabel('Asks for a callback').check();
  await dark.getByRole('button', { name: 'Start the scene' }).click();
  await dark.getByText('Task: Call the patient back').waitFor({ timeout: 60_000 });
  await dark.getByRole('link', { name: 'Show the case' }).click();
  await save(dark, 'case');

  stack.holdWorker();
  await fill(database, { clinicIds: [clinicId], cases: 6_000 });
  await likeAClinic(stack, timeZone);
  await stores.sandbox.setEnabled({ clinicId, isEnabled: true, now: new Date() });
  const { slots } = JSON.parse(
    await get(`${api}/availability?providerName=Dr.Chen&limit=80`, { authorization: `Bearer ${clinic.apiKey}` }),
  ) as { slots: { startsAt: string }[] };
  const patients = await database.sql<{ id: string }>`
    select id from patients where clinic_id = ${clinicId} and not is_placeholder order by created_at desc limit 24`;
  for (const [index, { id }] of patients.entries()) {
    const slot = slots[index * 3 + ((index * 7) % 3)];
    if (!slot) break;
    const body = { patientId: id, providerName: 'Dr.Chen', startsAt: slot.startsAt };
    await post(`${api}/appointments`, body, { authorization: `Bearer ${clinic.apiKey}` });
  }
  const week = new Date(slots[0]?.startsAt ?? Date.now()).toLocaleDateString('en-CA', { timeZone });
  for (const [name, address] of [
    ['overview', '/'],
    ['inbox', '/tasks'],
    ['results', '/results'],
    // The week of the first open times: today's may be over.
    ['calendar', `/calendar?provider=Dr.Chen&week=${week}`],
  ] as const) {
    const page = await visit('atWork');
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await save(page, name);
  }
  await browser.leave();
}

/** Zones of American clinics around the earth. */
const zones = ['America/New_York', 'America/Denver', 'Pacific/Honolulu', 'Pacific/Guam'];

/** The one in which it is nearest to three in the afternoon: at night nothing of today is on record. */
function zoneByDay(): string {
  const fromAfternoon = (timeZone: string) => {
    const hour = new Date().toLocaleTimeString('en-US', { timeZone, hour: 'numeric', hourCycle: 'h23' });
    return Math.abs(Number(hour) - 15);
  };
  const [nearest = 'America/Denver'] = zones.toSorted((one, other) => fromAfternoon(one) - fromAfternoon(other));
  return nearest;
}

/** What is filled in is the same on every day: makes it as uneven as a clinic's months are, with an endpoint that is well. */
async function likeAClinic({ clinic: { clinicId }, database }: BenchStack, timeZone: string): Promise<void> {
  // A case that has ended is never changed otherwise.
  await database.sql`alter table recovery_cases disable trigger user`;
  // Few cases at weekends, most of them in the evening; two in five recover, a little fewer in the month before.
  await database.sql`
    with places as (
      select id, created_at at time zone ${timeZone} as at, abs(hashtext(id)) as one, abs(hashtext(id || '-')) as other
      from recovery_cases where clinic_id = ${clinicId} and workflow_id like 'run-%'
    ), moved as (
      select id, one, other, date_trunc('day', at)
          - make_interval(days => case when extract(isodow from at) > 5 and one % 5 > 0 then 2 + other % 3 else 0 end)
          + make_interval(hours => 7 + one % 6 + other % 9, mins => one % 60) as at
      from places
    )
    update recovery_cases c
    set created_at = least(m.at at time zone ${timeZone}, now() - make_interval(mins => 90 + one % 900)),
      ended_at = case when c.ended_at is not null then
        least(m.at at time zone ${timeZone}, now() - make_interval(mins => 90 + one % 900)) + make_interval(mins => 12 + other % 75) end,
      status = case when c.ended_at is null then c.status
        when other % 100 < case when c.created_at > now() - interval '30 days' then 43 else 37 end then 'RECOVERED'
        when other % 100 < 62 then 'PATIENT_NOT_REACHED'
        when other % 100 < 74 then 'FOLLOW_UP_REQUIRED'
        when other % 100 < 82 then 'PATIENT_NOT_INTERESTED'
        when other % 100 < 90 then 'PRICING_ESCALATION'
        when other % 100 < 95 then 'CLINICAL_ESCALATION'
        else 'ALREADY_COMPLETED' end,
      form_name = (array['New patient intake', 'New patient intake', 'Annual physical', 'Vaccination', 'Blood test'])[1 + one % 5],
      selected_products = jsonb_build_array(jsonb_build_object('productName', 'Annual physical', 'unitPrice', 90 + 20 * (one % 8))),
      barrier = case when other % 100 not between 43 and 62 then jsonb_build_object(
        'primaryBarrier', (array['Too expensive', 'Form too long', 'Ran out of time', 'Insurance card not at hand', 'Ran out of time'])[1 + one % 5],
        'specificQuestion', (array['Is the blood test part of the price?', 'Do I have to fast before?', 'Can I send a photo of the card later?',
          'Is there a time after six?'])[1 + other % 4]) end
    from moved m where c.id = m.id and c.clinic_id = ${clinicId}`;
  await database.sql`alter table recovery_cases enable trigger user`;
  await database.sql`
    update calls set said = 'voicemail', ended_reason = 'voicemail'
    where clinic_id = ${clinicId} and case_id in (
      select id from recovery_cases where clinic_id = ${clinicId} and status = 'PATIENT_NOT_REACHED')`;
  await database.sql`
    update deliveries set state = 'DELIVERED', next_attempt_at = null, delivered_at = created_at
    where clinic_id = ${clinicId} and state <> 'DELIVERED'`;
  await database.sql`
    update staff_tasks set priority = case when abs(hashtext(id)) % 5 = 0 then 'HIGH' else 'NORMAL' end,
      reason = (array['follow_up_required', 'billing_escalation', 'clinical_escalation', 'bad_number', 'follow_up_required'])[1 + abs(hashtext(id)) % 5],
      due_on = case when abs(hashtext(id)) % 3 = 0 then current_date + (abs(hashtext(id)) % 5) end,
      assignee_id = case when abs(hashtext(id)) % 4 = 1 then (select id from users where clinic_id = ${clinicId} order by id limit 1) end
    where clinic_id = ${clinicId} and state = 'OPEN'`;
}
