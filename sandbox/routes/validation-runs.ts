import { Page } from '@clinic/shared/contracts/primitives';
import {
  HandledEvent,
  SentEvents,
  StartValidationRun,
  ValidationRun,
  ValidationRunSummary,
} from '@clinic/shared/contracts/sandbox/validation-runs';
import { FHIR_JSON } from '@clinic/shared/contracts/calendar/fhir';
import { AppError, SandboxOff } from '@clinic/shared/errors';
import type { ValidationRunRecord } from '@clinic/prisma/stores/sandbox/validation-runs';
import { z } from 'zod';
import { mapPage } from '@clinic/api/http/list-route';
import type { Deps } from '@clinic/api/http/route';
import { badgeOf } from '../readiness/badge';
import { sendProbes } from '../readiness/event-probes';
import { junitOf } from '../readiness/junit';
import { toSummary } from '../readiness/run-report';
import { testReportOf } from '../readiness/test-report';
import { routesOf } from '@clinic/api/http/routes-of';

const routes = routesOf({
  tag: 'Validation runs',
  access: 'api-key-or-clinic',
  right: 'sandbox',
  isOpenToSandboxTokens: true,
  patientData: 'none',
});

const path = '/validation-runs/:runId';
const unknown = { description: 'No such run of this clinic' };
const TestReport = z.looseObject({ resourceType: z.literal('TestReport') }).meta({ id: 'TestReport' });

type RunDeps = Deps<'stores' | 'watch' | 'runReports'>;

/** Runs in which a client of the sandbox EMR is watched, and what it was found to do well. */
export const validationRunRoutes = [
  routes.post('/validation-runs', {
    summary: "Start watching the clinic's client at the sandbox EMR",
    description:
      'One run at a time. While it is under way, the FHIR-style requests of the clinic, its requests to `/workflows` and the events that the run sends are watched: ids, times, statuses and digests, no bodies.',
    body: StartValidationRun,
    isIdempotent: true,
    responses: {
      200: { description: 'The run', schema: ValidationRun },
      409: { description: 'Another run is under way' },
    },
    async handle({ caller: { clinicId }, body: { label = null, minutes }, by }, deps) {
      if (!(await deps.stores.sandbox.isEnabled(clinicId))) {
        throw new SandboxOff();
      }
      await endOverdue(deps, clinicId);
      const now = new Date();
      const endsAt = new Date(now.getTime() + minutes * 60_000);
      const started = await deps.stores.validationRuns.start({
        clinicId,
        label,
        now,
        endsAt,
        by,
      });
      if (started.kind === 'under_way') {
        throw new AppError('conflict', `The validation run ${started.runId} is under way; end it first`);
      }
      await deps.watch.changed({ clinicId });
      return { body: await deps.runReports.of(started.run) };
    },
  }),
  routes.list('/validation-runs', {
    summary: 'List validation runs, newest first',
    description: '`score` alone; the behaviours are in the run by its id.',
    query: Page,
    item: ValidationRunSummary,
    items: 'validation runs',
    read: async ({ caller: { clinicId }, query }, deps) =>
      mapPage(await deps.stores.validationRuns.list(clinicId, query), toSummary),
  }),
  routes.get(path, {
    summary: 'A run: what was passed, failed and not seen yet',
    description:
      'Readable while the run goes on: poll it. Each behaviour has the request that showed it, or how to cause it.',
    responses: { 200: { description: 'The run', schema: ValidationRun }, 404: unknown },
    handle: async ({ caller: { clinicId }, params: { runId } }, deps) => ({
      body: await report(deps, clinicId, runId),
    }),
  }),
  routes.post(`${path}/end`, {
    summary: 'End a run: nothing is watched any more, and its findings stay',
    description: 'One that nobody ends ends at `endsAt`.',
    isIdempotent: true,
    responses: { 200: { description: 'The run', schema: ValidationRun }, 404: unknown },
    async handle({ caller: { clinicId }, params: { runId }, by }, deps) {
      await find(deps, clinicId, runId);
      await deps.runReports.end({ clinicId, runId, endedAt: new Date() }, by);
      await deps.watch.changed({ clinicId });
      return { body: await report(deps, clinicId, runId) };
    },
  }),
  routes.post(`${path}/events`, {
    isOpenToSandboxTokens: false,
    // A receiver may be slow.
    isHeld: () => true,
    summary: 'Send a series of events to the outbound URL: genuine, twice, forged, old and of an unknown name',
    description:
      'Every one carries `x-clinic-simulated: true`; they tell of a case that does not exist. None is sent a second time because of its response.',
    responses: {
      200: { description: 'What was sent, and what came back', schema: SentEvents },
      404: unknown,
      409: { description: 'The run has ended, or no outbound URL is registered' },
    },
    async handle({ caller: { clinicId }, params: { runId } }, deps) {
      await running(deps, clinicId, runId);
      const { url, isEnabled } = await deps.stores.clinics.outboundEndpoint(clinicId);
      if (!url || !isEnabled) throw new AppError('conflict', 'No outbound URL is registered, or it is switched off');
      const secrets = await deps.stores.keys.signingSecrets(clinicId);
      const sent = await sendProbes({ clinicId, url, secrets, sendEvent: deps.sendEvent, watch: deps.watch });
      return { body: { sent } };
    },
  }),
  routes.post(`${path}/handled-events`, {
    summary: 'Say that an event was acted upon: once for each, when it was done',
    description:
      'Your receiver tells it, once, when it has acted on an event: that is how the run sees that a repetition is handled once. While the run goes on alone (409).',
    body: HandledEvent,
    responses: { 204: { description: 'Noted' }, 404: unknown, 409: { description: 'The run has ended' } },
    async handle({ caller: { clinicId }, params: { runId } }, deps) {
      await running(deps, clinicId, runId);
      return { status: 204 };
    },
  }),
  routes.get(`${path}/test-report`, {
    summary: 'The run as a FHIR TestReport (R4)',
    description: 'The same verdicts in the form that FHIR’s test tools read.',
    responses: { 200: { description: 'The TestReport', schema: TestReport, type: FHIR_JSON }, 404: unknown },
    handle: async ({ caller: { clinicId }, params: { runId } }, deps) => ({
      type: `${FHIR_JSON}; charset=utf-8`,
      body: testReportOf(await report(deps, clinicId, runId), deps.baseUrl),
    }),
  }),
  routes.get(`${path}/junit`, {
    summary: 'The run as JUnit XML: what was not seen is skipped',
    description: 'For a CI that shows test results: a failed behaviour is a failed test.',
    responses: {
      200: {
        description: 'The XML',
        schema: z.string(),
        type: 'application/xml',
        example: '<testsuites tests="38" failures="0"/>',
      },
      404: unknown,
    },
    handle: async ({ caller: { clinicId }, params: { runId } }, deps) => ({
      type: 'application/xml; charset=utf-8',
      body: junitOf(await report(deps, clinicId, runId)),
    }),
  }),
  routes.get(`${path}/badge`, {
    summary: 'The score as a badge (SVG)',
    description: 'It tells the score and nothing of what was asked.',
    responses: {
      200: {
        description: 'The badge',
        schema: z.string(),
        type: 'image/svg+xml',
        example: '<svg xmlns="http://www.w3.org/2000/svg"/>',
      },
      404: unknown,
    },
    handle: async ({ caller: { clinicId }, params: { runId } }, deps) => ({
      type: 'image/svg+xml; charset=utf-8',
      body: badgeOf((await report(deps, clinicId, runId)).score),
    }),
  }),
];

const find = async (deps: RunDeps, clinicId: string, runId: string): Promise<ValidationRunRecord> => {
  // What was watched is stored every now and then: anyone who looks is shown all of it.
  await deps.watch.flush(clinicId);
  const run = await deps.stores.validationRuns.find(clinicId, runId);
  if (!run) throw new AppError('not_found', `Validation run ${runId} not found`);
  return run;
};

const running = async (deps: RunDeps, clinicId: string, runId: string): Promise<ValidationRunRecord> => {
  const run = await find(deps, clinicId, runId);
  if (run.endedAt !== null || run.endsAt <= new Date()) throw new AppError('conflict', 'The validation run has ended');
  return run;
};

const report = async (deps: RunDeps, clinicId: string, runId: string) =>
  deps.runReports.of(await find(deps, clinicId, runId));

/** A run whose time is over stands in nobody's way. */
async function endOverdue(deps: RunDeps, clinicId: string): Promise<void> {
  const now = new Date();
  for (const run of await deps.stores.validationRuns.unended()) {
    if (run.clinicId !== clinicId || run.endsAt > now) continue;
    await deps.watch.flush(clinicId);
    await deps.runReports.end({ clinicId, runId: run.id, endedAt: run.endsAt });
  }
}
