import {
  type FailureKindView,
  NewSandboxFailure,
  SandboxFailuresRemoved,
  SandboxFailureView,
} from '@clinic/shared/contracts/sandbox/sandbox';
import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { nextClockChange } from '@clinic/shared/domain/calendar/clock-change';
import {
  type FailureKind,
  failureParameters,
  sandboxFailureCodes,
  sandboxFailures,
} from '@clinic/shared/domain/sandbox/sandbox-failures';
import { AppError, invalid } from '@clinic/shared/errors';
import { MAX_FAILURES, type SandboxFailureRecord } from '@clinic/prisma/stores/sandbox/sandbox-failures';
import { configuration, opened } from './configuration';

/** Failures that requests of FHIR clients are to meet. */
export const failureRoutes = [
  configuration.post('/sandbox/failures', {
    summary: 'Choose a failure that the next requests of FHIR clients meet in the sandbox',
    description:
      'A response that was spoilt says so in the header `x-sandbox-failure`. The oldest failure that is meant for a request is played; each ends by itself after `times` requests or `minutes`.',
    body: NewSandboxFailure,
    responses: {
      200: { description: 'What was chosen', schema: SandboxFailureView },
      409: { description: `${MAX_FAILURES} wait already` },
    },
    async handle({ caller: { clinicId }, body, by }, { stores }) {
      const { failure, operation = null, identifier = null, parameters, times, minutes } = body;
      const { zone } = await opened({ stores }, clinicId);
      const { operations }: FailureKind = sandboxFailures[failure];
      if (operation !== null && !operations.includes(operation)) {
        throw invalid('operation', `must be one that ${failure} is for: ${operations.join(', ')}`);
      }
      if (identifier !== null && failure === 'event_given_up') {
        throw invalid('identifier', 'cannot be given: the next event meets it, whomever it is about');
      }
      const read = failureParameters(failure, parameters);
      if ('problem' in read)
        throw new AppError('bad_request', read.problem, [{ path: 'parameters', message: read.problem }]);
      const realNow = new Date();
      const today = localDate((await stores.agendas.now(clinicId)).toISOString(), zone);
      if (failure === 'clock_change' && nextClockChange(today, zone) === null) {
        throw invalid('failure', `cannot be clock_change: the clock of ${zone} does not change within a year`);
      }
      const chosen = await stores.sandboxFailures.choose(
        {
          clinicId,
          failure,
          operation,
          identifier,
          parameters: read.values,
          times,
          endsAt: new Date(realNow.getTime() + minutes * 60_000),
        },
        by,
      );
      if (chosen.kind === 'too_many') {
        throw new AppError('conflict', `${MAX_FAILURES} failures wait already; remove some that are not needed`);
      }
      return { body: toFailure(chosen.failure, realNow) };
    },
  }),
  configuration.delete('/sandbox/failures', {
    summary: 'Remove all chosen failures',
    description: '`removed` says how many there were, 0 included. The next request is answered as usual.',
    responses: { 200: { description: 'How many there were', schema: SandboxFailuresRemoved } },
    async handle({ caller: { clinicId }, by }, { stores }) {
      return { body: { removed: await stores.sandboxFailures.remove(clinicId, null, by) } };
    },
  }),
  configuration.delete('/sandbox/failures/:failureId', {
    summary: 'Remove a chosen failure',
    description: 'The others stay. To be rid of all of them leave the id out.',
    responses: { 204: { description: 'Removed' }, 404: { description: 'No such failure of this clinic' } },
    async handle({ caller: { clinicId }, params: { failureId }, by }, { stores }) {
      const removed = await stores.sandboxFailures.remove(clinicId, failureId, by);
      if (removed === 0) throw new AppError('not_found', `Failure ${failureId} not found`);
      return { status: 204 };
    },
  }),
];

export const toFailure = (
  { createdAt, endsAt, ...failure }: SandboxFailureRecord,
  realNow: Date,
): SandboxFailureView => ({
  ...failure,
  isOver: failure.played >= failure.times || endsAt <= realNow,
  createdAt: createdAt.toISOString(),
  endsAt: endsAt.toISOString(),
});

export const failureKinds: FailureKindView[] = sandboxFailureCodes.map((failure) => {
  const { title, happens, goodClient, operations, parameters }: FailureKind = sandboxFailures[failure];
  return {
    failure,
    title,
    happens,
    goodClient,
    operations: [...operations],
    parameters: Object.entries(parameters).map(([name, about]) => ({ name, ...about })),
  };
});
