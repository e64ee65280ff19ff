import { join } from 'node:path';
import { root } from '@clinic/local/paths';
import { demoPolicy } from '@clinic/prisma/fixtures';
import type { BenchStack } from '../bench/stack';
import type { TestBrowser } from '../support/browser';
import { fill } from '../support/fill';

/** Takes the README's pictures anew, of a clinic that has been at work for a while. The worker runs: it plays the scenes. */
export async function takePictures(stack: BenchStack, browser: TestBrowser): Promise<void> {
  const { api, clinic, database, stores, post, get } = stack;
  const { clinicId } = clinic;
  const { token } = JSON.parse(
    await post(`${api}/auth/sign-in/email`, { email: clinic.email, password: clinic.password }),
  ) as { token: string };
  await stores.clinics.setPolicy(clinicId, { ...demoPolicy, firstCallDelaySeconds: 0 });
  await stores.sandbox.setEnabled({ clinicId, isEnabled: true, now: new Date() });
  const visit = async (colorScheme: 'light' | 'dark' = 'light') => {
    const page = await browser.visit({ token, colorScheme });
    await page.setViewportSize({ width: 1440, height: 900 });
    return page;
  };
  const save = async (page: Awaited<ReturnType<typeof visit>>, name: string) => {
    await page.getByText('Loading', { exact: true }).first().waitFor({ state: 'detached' });
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(root, 'docs/images', `${name}.png`) });
  };

  const scene = await visit();
  await scene.goto('/try-it');
  await scene.getByLabel('Answers at the second attempt, agrees').check();
  await scene.getByRole('button', { name: 'Start the scene' }).click();
  await scene.getByText('Barrier understood').waitFor({ timeout: 60_000 });
  await save(scene, 'try-it');

  const dark = await visit('dark');
  await dark.goto('/try-it');
  await dark.getByLabel('Asks for a callback').check();
  await dark.getByRole('button', { name: 'Start the scene' }).click();
  await dark.getByText('Task: Call the patient back').waitFor({ timeout: 60_000 });
  await dark.getByRole('link', { name: 'Show the case' }).click();
  await save(dark, 'case');

  stack.holdWorker();
  await fill(database, { clinicIds: [clinicId], cases: 3_000 });
  await database.sql`
    update recovery_cases set selected_products = '[{"productName": "Annual physical", "unitPrice": 149}]',
      barrier = jsonb_build_object('primaryBarrier',
        (array['too expensive', 'form length', 'ran out of time', 'insurance card not at hand'])[1 + abs(hashtext(id)) % 4],
        'specificQuestion', 'Is the blood test part of the price?')
    where clinic_id = ${clinicId}`;
  await database.sql`
    update calls set said = 'voicemail', ended_reason = 'voicemail' where clinic_id = ${clinicId} and abs(hashtext(id)) % 4 = 0 and case_id is not null`;
  await database.sql`
    update staff_tasks set priority = case when abs(hashtext(id)) % 5 = 0 then 'HIGH' else 'NORMAL' end,
      due_on = case when abs(hashtext(id)) % 3 = 0 then current_date + (abs(hashtext(id)) % 4) end
    where clinic_id = ${clinicId} and state = 'OPEN'`;
  const { items: slots } = JSON.parse(
    await get(`${api}/availability?providerName=Dr.Chen&limit=60`, { authorization: `Bearer ${clinic.apiKey}` }),
  ) as { items: { startsAt: string }[] };
  const patients = await database.sql<{ id: string }>`
    select id from patients where clinic_id = ${clinicId} and not is_placeholder order by created_at desc limit 24`;
  for (const [index, { id }] of patients.entries()) {
    const slot = slots[index * 2 + (index % 3)];
    if (!slot) break;
    const body = { patientId: id, providerName: 'Dr.Chen', startsAt: slot.startsAt };
    await post(`${api}/appointments`, body, { authorization: `Bearer ${clinic.apiKey}` });
  }
  for (const [name, address] of [
    ['overview', '/'],
    ['inbox', '/tasks'],
    ['results', '/results'],
    // The week of the first open times: today's may be over.
    ['calendar', `/calendar?provider=Dr.Chen&week=${slots[0]?.startsAt.slice(0, 10) ?? ''}`],
  ] as const) {
    const page = await visit();
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await save(page, name);
  }
  await browser.leave();
}
