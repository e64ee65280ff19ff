import { Page } from '@clinic/shared/contracts/primitives';
import {
  HandledEvent,
  SentEvents,
  StartValidationRun,
  ValidationRun,
  ValidationRunSummary,
} from '@clinic/shared/contracts/validation-runs';
import { FHIR_JSON } from '@clinic/shared/contracts/fhir';
import { AppError } from '@clinic/shared/errors';
import type { ValidationRunRecord } from '@clinic/prisma/stores/validation-runs';
import { z } from 'zod';
import { listRoute, mapPage } from '../http/list-route';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { badgeOf } from '../validation/badge';
import { sendProbes } from '../validation/event-probes';
import { junitOf } from '../validation/junit';
import { createRunReports, toSummary } from '../validation/run-report';
import { testReportOf } from '../validation/test-report';

const tag = 'Validation runs';
const path = '/validation-runs/:runId';
const RunPath = z.object({ runId: z.string() });
const unknown = { description: 'No such run of this clinic' };
const TestReport = z.looseObject({ resourceType: z.literal('TestReport') }).meta({ id: 'TestReport' });

/** Runs in which a client of the sandbox EMR is watched, and what it was found to do well. */
export function validationRunRoutes({ stores, watch, sendEvent, config }: RouteDeps): Route[] {
  const reports = createRunReports({ stores });

  const find = async (clinicId: string, runId: string): Promise<ValidationRunRecord> => {
    // What was watched is stored every now and then: whoever looks is shown all of it.
    await watch.flush(clinicId);
    const run = await stores.validationRuns.find(clinicId, runId);
    if (!run) throw new AppError('not_found', `Validation run ${runId} not found`);
    return run;
  };
  const running = async (clinicId: string, runId: string): Promise<ValidationRunRecord> => {
    const run = await find(clinicId, runId);
    if (run.endedAt !== null || run.endsAt <= new Date())
      throw new AppError('conflict', 'The validation run has ended');
    return run;
  };
  const report = async (clinicId: string, runId: string) => reports.of(await find(clinicId, runId));

  return [
    route({
      method: 'post',
      path: '/validation-runs',
      access: 'api-key-or-clinic',
      isOpenToSandboxTokens: true,
      tag,
      summary: "Start watching the clinic's client at the sandbox EMR",
      description:
        'One run at a time. While it is under way, the FHIR-style requests of the clinic, its requests to `/workflows` and the events that the run sends are watched: ids, times, statuses and digests, no bodies.',
      body: StartValidationRun,
      isIdempotent: true,
      responses: {
        200: { description: 'The run', schema: ValidationRun },
        409: { description: 'Another run is under way' },
      },
      async handle({ caller, body: { label = null, minutes }, requestId }) {
        const { clinicId } = caller;
        if (!(await stores.sandbox.isEnabled(clinicId))) {
          throw new AppError('forbidden', 'The sandbox EMR is not enabled for this clinic');
        }
        await endOverdue(clinicId);
        const now = new Date();
        const endsAt = new Date(now.getTime() + minutes * 60_000);
        const started = await stores.validationRuns.start({
          clinicId,
          label,
          now,
          endsAt,
          by: actorOf(caller, requestId),
        });
        if (started.kind === 'under_way') {
          throw new AppError('conflict', `The validation run ${started.runId} is under way; end it first`);
        }
        await watch.changed({ clinicId });
        return { body: await reports.of(started.run) };
      },
    }),
    listRoute({
      path: '/validation-runs',
      access: 'api-key-or-clinic',
      isOpenToSandboxTokens: true,
      patientData: 'none',
      tag,
      summary: 'List validation runs, newest first',
      query: Page,
      item: ValidationRunSummary,
      items: 'validation runs',
      read: async ({ caller: { clinicId }, query }) =>
        mapPage(await stores.validationRuns.list(clinicId, query), toSummary),
    }),
    route({
      method: 'get',
      path,
      access: 'api-key-or-clinic',
      isOpenToSandboxTokens: true,
      patientData: 'none',
      tag,
      summary: 'A run: what was passed, failed and not seen yet',
      params: RunPath,
      responses: { 200: { description: 'The run', schema: ValidationRun }, 404: unknown },
      handle: async ({ caller: { clinicId }, params: { runId } }) => ({ body: await report(clinicId, runId) }),
    }),
    route({
      method: 'post',
      path: `${path}/end`,
      access: 'api-key-or-clinic',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'End a run: nothing is watched any more, and its findings stay',
      params: RunPath,
      isIdempotent: true,
      responses: { 200: { description: 'The run', schema: ValidationRun }, 404: unknown },
      async handle({ caller, params: { runId }, requestId }) {
        const { clinicId } = caller;
        await find(clinicId, runId);
        await reports.end({ clinicId, runId, endedAt: new Date() }, actorOf(caller, requestId));
        await watch.changed({ clinicId });
        return { body: await report(clinicId, runId) };
      },
    }),
    route({
      method: 'post',
      path: `${path}/events`,
      access: 'api-key-or-clinic',
      // A receiver may be slow.
      isHeld: () => true,
      tag,
      summary: 'Send a series of events to the outbound URL: genuine, twice, forged, old and of an unknown name',
      description:
        'Every one carries `x-clinic-simulated: true`; they tell of a case that does not exist. None is sent a second time because of its response.',
      params: RunPath,
      responses: {
        200: { description: 'What was sent, and what came back', schema: SentEvents },
        404: unknown,
        409: { description: 'The run has ended, or no outbound URL is registered' },
      },
      async handle({ caller: { clinicId }, params: { runId } }) {
        await running(clinicId, runId);
        const { url, isEnabled } = await stores.clinics.outboundEndpoint(clinicId);
        if (!url || !isEnabled) throw new AppError('conflict', 'No outbound URL is registered, or it is switched off');
        const secrets = await stores.keys.signingSecrets(clinicId);
        const sent = await sendProbes({ clinicId, url, secrets, sendEvent, watch });
        return { body: { sent } };
      },
    }),
    route({
      method: 'post',
      path: `${path}/handled-events`,
      access: 'api-key-or-clinic',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Say that an event was acted upon: once for each, when it was done',
      params: RunPath,
      body: HandledEvent,
      responses: { 204: { description: 'Noted' }, 404: unknown, 409: { description: 'The run has ended' } },
      async handle({ caller: { clinicId }, params: { runId } }) {
        await running(clinicId, runId);
        return { status: 204 };
      },
    }),
    route({
      method: 'get',
      path: `${path}/test-report`,
      access: 'api-key-or-clinic',
      isOpenToSandboxTokens: true,
      patientData: 'none',
      tag,
      summary: 'The run as a FHIR TestReport (R4)',
      params: RunPath,
      responses: { 200: { description: 'The TestReport', schema: TestReport, type: FHIR_JSON }, 404: unknown },
      handle: async ({ caller: { clinicId }, params: { runId } }) => ({
        type: `${FHIR_JSON}; charset=utf-8`,
        body: testReportOf(await report(clinicId, runId), `${config.PUBLIC_URL}/api`),
      }),
    }),
    route({
      method: 'get',
      path: `${path}/junit`,
      access: 'api-key-or-clinic',
      isOpenToSandboxTokens: true,
      patientData: 'none',
      tag,
      summary: 'The run as JUnit XML: what was not seen is skipped',
      params: RunPath,
      responses: { 200: { description: 'The XML', schema: z.string(), type: 'application/xml' }, 404: unknown },
      handle: async ({ caller: { clinicId }, params: { runId } }) => ({
        type: 'application/xml; charset=utf-8',
        body: junitOf(await report(clinicId, runId)),
      }),
    }),
    route({
      method: 'get',
      path: `${path}/badge`,
      access: 'api-key-or-clinic',
      isOpenToSandboxTokens: true,
      patientData: 'none',
      tag,
      summary: 'The score as a badge (SVG)',
      params: RunPath,
      responses: { 200: { description: 'The badge', schema: z.string(), type: 'image/svg+xml' }, 404: unknown },
      handle: async ({ caller: { clinicId }, params: { runId } }) => ({
        type: 'image/svg+xml; charset=utf-8',
        body: badgeOf((await report(clinicId, runId)).score),
      }),
    }),
  ];

  /** A run whose time is over stands in nobody's way. */
  async function endOverdue(clinicId: string): Promise<void> {
    const now = new Date();
    for (const run of await stores.validationRuns.unended()) {
      if (run.clinicId !== clinicId || run.endsAt > now) continue;
      await watch.flush(clinicId);
      await reports.end({ clinicId, runId: run.id, endedAt: run.endsAt });
    }
  }
}
