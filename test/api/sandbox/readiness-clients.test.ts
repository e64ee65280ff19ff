import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DevClinic } from '@clinic/accounts/seed';
import { newClientKey } from '@clinic/shared/client-key';
import type { ValidationRun } from '@clinic/shared/contracts/sandbox/validation-runs';
import { lenientRuleNames } from '@clinic/shared/domain/sandbox/leniency';
import { type App, startApp } from '../../support/app';
import { openSandbox } from '../../support/fhir';
import { playNaively } from '../../support/outside/naive-client';
import type { ClientAccess } from '../../support/outside/client-access';
import { playEverything } from '../../support/outside/reference-client';
import { assertR4 } from '../../support/r4';

/**
 * The clients that a validation run is measured by: one that does everything well, and one that makes every mistake that it can,
 * each in two languages, at the sandbox as it begins and at one like a real EHR.
 */

let app: App;
beforeAll(async () => {
  app = await startApp();
}, 240_000);
afterAll(() => app.stop());

const outside = join(__dirname, '../../support/outside');

/** Python 3 has to be there (CONTRIBUTING.md): without it the test fails and says so. */
const inPython = (file: string) => async (access: ClientAccess) => {
  await promisify(execFile)('python3', [join(outside, file), JSON.stringify(access)]).catch((error: unknown) => {
    throw new Error(`python3 ${file} failed, or Python 3 is not installed: ${String(error)}`, { cause: error });
  });
};

const clients = {
  JavaScript: { reference: playEverything, naive: playNaively },
  Python: { reference: inPython('reference_client.py'), naive: inPython('naive_client.py') },
};
const languages = ['JavaScript', 'Python'] as const;

async function watched(
  play: (access: ClientAccess) => Promise<void>,
  isStrict: boolean,
): Promise<{ run: ValidationRun; clinic: DevClinic }> {
  const clinic = await app.addClinic();
  const { admin } = await openSandbox(app, clinic);
  // Times before the next change of the clocks are on offer on whatever day the tests run.
  await app.request('PUT', '/sandbox/clock', { body: { at: '2026-11-24T08:00:00-07:00' }, bearer: admin });
  const key = await newClientKey('RS384');
  const registered = { name: 'Ours', jwks: { keys: [key.publicJwk] } };
  const client = await app.request('POST', '/sandbox/clients', { body: registered, bearer: admin });
  const rules = Object.fromEntries(lenientRuleNames.map((name) => [name, !isStrict]));
  await app.request('PATCH', '/sandbox/leniency', { body: rules, bearer: admin });
  const begun = { body: { label: 'client 1.0' }, bearer: clinic.apiKey };
  const { body: run } = await app.request('POST', '/validation-runs', begun);
  const [signingSecret = ''] = await app.stores.keys.signingSecrets(clinic.clinicId);
  const { clinicId, email, password, apiKey } = clinic;
  await play({
    baseUrl: app.baseUrl,
    clinicId,
    email,
    password,
    apiKey,
    signingSecret,
    admin,
    isStrict,
    smart: { clientId: client.body.id, key: key.privateJwk },
    run,
  });
  const ended = await app.request('POST', `/validation-runs/${run.id}/end`, { bearer: clinic.apiKey });
  return { run: ended.body, clinic };
}

const found = ({ behaviours }: ValidationRun, wanted: string) =>
  behaviours.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
const notPassed = ({ behaviours }: ValidationRun) =>
  behaviours
    .filter(({ verdict }) => verdict !== 'passed')
    .map(({ id, verdict, why, shownBy }) => [id, verdict, why, shownBy]);

/** What cannot be done wrong, would take minutes to do wrong, or is the opposite of what it does. */
const notMade = [
  'fresh-offer',
  'booking-read-back',
  'note-escalates',
  'note-wants-records',
  'event-accepted',
  'event-rotated',
  'event-quickly',
];

describe.each([
  ['at the sandbox as it begins', false, 65],
  ['at one like a real EHR', true, 60],
] as const)('%s', (_where, isStrict, most) => {
  test.concurrent.each(languages)(
    'the reference client in %s passes everything, and the reports of its run say so',
    async (language) => {
      const { run, clinic } = await watched(clients[language].reference, isStrict);

      expect(notPassed(run)).toEqual([]);
      expect(run.score).toEqual({ passed: most, failed: 0, notSeen: 0, of: most });
      const of = (report: string) =>
        app.request('GET', `/validation-runs/${run.id}/${report}`, { bearer: clinic.apiKey });
      const [testReport, junit, badge] = await Promise.all([of('test-report'), of('junit'), of('badge')]);
      assertR4(testReport.body);
      expect(testReport.body).toMatchObject({ result: 'pass', score: 100, status: 'completed' });
      expect(junit.text).toContain(`tests="${most}" failures="0" errors="0" skipped="0"`);
      expect(badge.headers.get('content-type')).toContain('image/svg+xml');
      expect(badge.text).toContain(`>${most}/${most}<`);
    },
    120_000,
  );

  test.concurrent.each(languages)(
    'the naive client in %s fails by every mistake that it makes, and is shown the exchange',
    async (language) => {
      const { run } = await watched(clients[language].naive, isStrict);

      const made = run.behaviours.map(({ id }) => id).filter((id) => !notMade.includes(id));
      expect(found(run, 'failed')).toEqual(made);
      expect(run.behaviours.find(({ id }) => id === 'duplicate-patient')).toMatchObject({
        why: 'It went on with one of several patients whom $match had found',
        shownBy: { request: 'POST /DocumentReference', status: isStrict ? 201 : 200 },
      });
      for (const { verdict, shownBy } of run.behaviours) expect(shownBy === null).toBe(verdict === 'not_seen');
    },
    120_000,
  );
});
