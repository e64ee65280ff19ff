import { join } from 'node:path';
import { fillClinic } from '@clinic/local/history/fill';
import { root } from '@clinic/local/paths';
import { demoPolicy } from '@clinic/prisma/fixtures';
import type { BenchStack } from '../bench/stack';
import type { TestBrowser } from '../../support/browser';

/**
 * Takes the README's pictures again. The worker plays the scenes, in the second clinic; the first has been at work for a while, and
 * is filled only where nothing is on record yet.
 */
export async function takePictures(stack: BenchStack, browser: TestBrowser): Promise<void> {
  const { api, clinic, emptyClinic, database, stores, post } = stack;
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
  const progress = { say: () => undefined, signal: new AbortController().signal };
  await fillClinic({ database, stores }, { clinicId, cases: 1_500, seed: 1 }, progress);
  const nextWeek = new Date(Date.now() + 7 * 86_400_000).toLocaleDateString('en-CA', { timeZone });
  for (const [name, address] of [
    ['overview', '/'],
    ['inbox', '/tasks'],
    ['results', '/results'],
    ['calendar', `/calendar?provider=Dr.Chen&week=${nextWeek}`],
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
