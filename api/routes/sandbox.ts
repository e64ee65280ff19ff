import {
  CallHolds,
  ChangedKindnesses,
  ClockAdvance,
  type FailureKindView,
  type KindnessKindView,
  NewSandboxClient,
  NewSandboxClock,
  NewSandboxFailure,
  NewSnapshot,
  SandboxClientsView,
  SandboxClientView,
  SandboxClockView,
  SandboxCountsView,
  SandboxFailuresRemoved,
  SandboxFailureView,
  SandboxKindnessesView,
  SandboxView,
  SnapshotView,
} from '@clinic/shared/contracts/sandbox';
import { localDate } from '@clinic/shared/domain/clinic-time';
import { nextClockChange } from '@clinic/shared/domain/clock-change';
import { kindnesses, kindnessNames } from '@clinic/shared/domain/kindnesses';
import { clockYears, type SandboxClock, sandboxTime } from '@clinic/shared/domain/sandbox-clock';
import {
  type FailureKind,
  failureParameters,
  sandboxFailureCodes,
  sandboxFailures,
} from '@clinic/shared/domain/sandbox-failures';
import { AppError } from '@clinic/shared/errors';
import { MAX_CLIENTS, type SandboxClientRecord } from '@clinic/prisma/stores/sandbox-clients';
import { MAX_SNAPSHOTS, type SnapshotRecord } from '@clinic/prisma/stores/sandbox-data';
import { MAX_FAILURES, type SandboxFailureRecord } from '@clinic/prisma/stores/sandbox-failures';
import { z } from 'zod';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Sandbox configuration';
const SnapshotPath = z.object({ snapshot: z.string() });
const unknownSnapshot = { description: 'No such snapshot of this clinic' };

/** What a clinic's team does with its sandbox while it tests: reset, snapshots, the clock, chosen failures. */
export function sandboxRoutes({ stores }: RouteDeps): Route[] {
  /** The agenda of a sandbox that is on. */
  const opened = async (clinicId: string) => {
    const agenda = await stores.agendas.of(clinicId);
    if (!agenda?.isSandboxEnabled) throw new AppError('forbidden', 'The sandbox EMR is not enabled for this clinic');
    return agenda;
  };
  const noSnapshot = (name: string) => new AppError('not_found', `Snapshot ${name} not found`);

  return [
    route({
      method: 'get',
      path: '/sandbox',
      access: 'clinic',
      isOpenToSandboxTokens: true,
      patientData: 'none',
      tag,
      summary: "The sandbox's clock, what it holds, its snapshots, and the failures that can be chosen and were",
      responses: { 200: { description: 'The sandbox as it is set', schema: SandboxView } },
      async handle({ caller: { clinicId } }) {
        const [agenda, counts, snapshots, failures, kindness] = await Promise.all([
          stores.agendas.of(clinicId),
          stores.sandboxData.counts(clinicId),
          stores.sandboxData.snapshots(clinicId),
          stores.sandboxFailures.list(clinicId),
          stores.sandboxKindnesses.find(clinicId),
        ]);
        const realNow = new Date();
        return {
          body: {
            enabled: agenda?.isSandboxEnabled ?? false,
            clock: toClock(agenda?.clock ?? null, realNow),
            callHoldMinutes: agenda?.callHoldMinutes ?? 0,
            counts,
            snapshots: snapshots.map(toSnapshot),
            failures: failures.map((failure) => toFailure(failure, realNow)),
            failureKinds,
            kindnesses: kindness,
            kindnessKinds,
          },
        };
      },
    }),

    route({
      method: 'post',
      path: '/sandbox/reset',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Make the sandbox hold the fixtures and nothing else, seen from its clock; ends all chosen failures',
      description:
        'Fixture patients keep their ids. Patients whom a workflow, a call, a task or a consent concerns stay, and whatever is under a legal hold.',
      responses: { 200: { description: 'What it holds now', schema: SandboxCountsView } },
      async handle({ caller, requestId }) {
        const { clinicId } = caller;
        await opened(clinicId);
        return {
          body: await stores.sandboxData.reset({ clinicId, realNow: new Date() }, actorOf(caller, requestId)),
        };
      },
    }),

    route({
      method: 'patch',
      path: '/sandbox/kindnesses',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Switch kindnesses of the sandbox EMR off, or on again: what a real EHR does not do for a client',
      description: 'What is left out stays as it is. With all of them on, the sandbox does what it always did.',
      body: ChangedKindnesses,
      responses: { 200: { description: 'All of them as they are now', schema: SandboxKindnessesView } },
      async handle({ caller, body, requestId }) {
        const { clinicId } = caller;
        await opened(clinicId);
        return { body: await stores.sandboxKindnesses.change({ clinicId, to: body }, actorOf(caller, requestId)) };
      },
    }),

    route({
      method: 'get',
      path: '/sandbox/clients',
      access: 'clinic',
      isOpenToSandboxTokens: true,
      patientData: 'none',
      tag,
      summary: 'Clients that get tokens of the sandbox by SMART Backend Services, by name',
      responses: { 200: { description: 'The clients', schema: SandboxClientsView } },
      async handle({ caller: { clinicId } }) {
        return { body: { items: (await stores.sandboxClients.list(clinicId)).map(toClient) } };
      },
    }),

    route({
      method: 'post',
      path: '/sandbox/clients',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Register a client of the sandbox by its public keys (SMART Backend Services)',
      body: NewSandboxClient,
      responses: {
        200: { description: 'The client; its id is issuer and subject of its assertions', schema: SandboxClientView },
        409: { description: `There are ${MAX_CLIENTS} already` },
      },
      async handle({ caller, body: { name, jwks }, requestId }) {
        const { clinicId } = caller;
        await opened(clinicId);
        const registered = await stores.sandboxClients.register({ clinicId, name, jwks }, actorOf(caller, requestId));
        if (registered.kind === 'too_many') {
          throw new AppError('conflict', `There are ${MAX_CLIENTS} clients already; remove one that is not needed`);
        }
        return { body: toClient(registered.client) };
      },
    }),

    route({
      method: 'delete',
      path: '/sandbox/clients/:clientId',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Remove a client of the sandbox; its tokens end with it',
      params: z.object({ clientId: z.string() }),
      responses: { 204: { description: 'Removed' }, 404: { description: 'No such client of this clinic' } },
      async handle({ caller, params: { clientId }, requestId }) {
        const isGone = await stores.sandboxClients.remove(caller.clinicId, clientId, actorOf(caller, requestId));
        if (!isGone) throw new AppError('not_found', `Client ${clientId} not found`);
        return { status: 204 };
      },
    }),

    route({
      method: 'put',
      path: '/sandbox/call-holds',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Whether live calls may keep a time for their callers, and for how long',
      description: 'With more than 0 minutes the agent of a call has the tool `hold_time`.',
      body: CallHolds,
      responses: { 200: { description: 'As it is from now on', schema: CallHolds } },
      async handle({ caller, body: { minutes }, requestId }) {
        const { clinicId } = caller;
        await opened(clinicId);
        await stores.holds.setForCalls({ clinicId, minutes }, actorOf(caller, requestId));
        return { body: { minutes } };
      },
    }),

    route({
      method: 'put',
      path: '/sandbox/clock',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Set the clock of the sandbox EMR: slots, fulfilment and what is upcoming go by it',
      description: 'Workflows, calls and calling hours go by the real time all the same. What was fulfilled stays so.',
      body: NewSandboxClock,
      responses: { 200: { description: 'What it shows', schema: SandboxClockView } },
      async handle({ caller, body: { at, isFrozen }, requestId }) {
        const { clinicId } = caller;
        await opened(clinicId);
        const realNow = new Date();
        const clock = { shows: at, runsSince: isFrozen ? null : realNow.toISOString() };
        await stores.sandboxClocks.set({ clinicId, realNow, to: () => clock }, actorOf(caller, requestId));
        return { body: toClock(clock, realNow) };
      },
    }),

    route({
      method: 'post',
      path: '/sandbox/clock/advance',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Set the clock of the sandbox EMR forward from what it shows',
      body: ClockAdvance,
      responses: { 200: { description: 'What it shows', schema: SandboxClockView } },
      async handle({ caller, body: { days, hours, minutes, seconds }, requestId }) {
        const { clinicId } = caller;
        await opened(clinicId);
        const realNow = new Date();
        const ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
        const to = (clock: SandboxClock | null): SandboxClock => {
          const later = new Date(sandboxTime(clock, realNow).getTime() + ms);
          if (later.getUTCFullYear() > clockYears.last) {
            throw new AppError('bad_request', `The clock goes to the year ${clockYears.last}`);
          }
          const isFrozen = clock !== null && clock.runsSince === null;
          return { shows: later.toISOString(), runsSince: isFrozen ? null : realNow.toISOString() };
        };
        const clock = await stores.sandboxClocks.set({ clinicId, realNow, to }, actorOf(caller, requestId));
        return { body: toClock(clock, realNow) };
      },
    }),

    route({
      method: 'delete',
      path: '/sandbox/clock',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Let the sandbox EMR go by the real time again',
      responses: { 200: { description: 'What it shows', schema: SandboxClockView } },
      async handle({ caller, requestId }) {
        const { clinicId } = caller;
        await opened(clinicId);
        const realNow = new Date();
        await stores.sandboxClocks.set({ clinicId, realNow, to: () => null }, actorOf(caller, requestId));
        return { body: toClock(null, realNow) };
      },
    }),

    route({
      method: 'post',
      path: '/sandbox/snapshots',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary:
        'Keep the people, appointments, notes and clock of the sandbox under a name, in place of what was kept under it',
      body: NewSnapshot,
      responses: {
        200: { description: 'The snapshot', schema: SnapshotView },
        409: { description: `There are ${MAX_SNAPSHOTS} already` },
        413: { description: 'The sandbox holds more than a snapshot can' },
      },
      async handle({ caller, body: { name }, requestId }) {
        const { clinicId } = caller;
        await opened(clinicId);
        const taken = await stores.sandboxData.take(
          { clinicId, name, realNow: new Date() },
          actorOf(caller, requestId),
        );
        switch (taken.kind) {
          case 'taken':
            return { body: toSnapshot(taken.snapshot) };
          case 'too_many':
            throw new AppError(
              'conflict',
              `There are ${MAX_SNAPSHOTS} snapshots already; delete one that is not needed`,
            );
          case 'too_large':
            throw new AppError(
              'payload_too_large',
              'The sandbox holds more than 20 MB of notes, or more than 50,000 records',
            );
        }
      },
    }),

    route({
      method: 'post',
      path: '/sandbox/snapshots/:snapshot/restore',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Make the sandbox hold what a snapshot holds and nothing else, its clock included',
      params: SnapshotPath,
      responses: { 200: { description: 'What it holds now', schema: SandboxCountsView }, 404: unknownSnapshot },
      async handle({ caller, params: { snapshot: name }, requestId }) {
        const { clinicId } = caller;
        await opened(clinicId);
        const counts = await stores.sandboxData.restore(
          { clinicId, name, realNow: new Date() },
          actorOf(caller, requestId),
        );
        if (!counts) throw noSnapshot(name);
        return { body: counts };
      },
    }),

    route({
      method: 'delete',
      path: '/sandbox/snapshots/:snapshot',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Delete a snapshot',
      params: SnapshotPath,
      responses: { 204: { description: 'Deleted' }, 404: unknownSnapshot },
      async handle({ caller, params: { snapshot: name }, requestId }) {
        if (!(await stores.sandboxData.drop(caller.clinicId, name, actorOf(caller, requestId)))) throw noSnapshot(name);
        return { status: 204 };
      },
    }),

    route({
      method: 'post',
      path: '/sandbox/failures',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Choose a failure that the next requests of FHIR clients meet in the sandbox',
      description:
        'A response that was spoilt says so in the header `x-sandbox-failure`. The oldest failure that is meant for a request is played; each ends by itself after `times` requests or `minutes`.',
      body: NewSandboxFailure,
      responses: {
        200: { description: 'What was chosen', schema: SandboxFailureView },
        409: { description: `${MAX_FAILURES} wait already` },
      },
      async handle({ caller, body, requestId }) {
        const { failure, operation = null, identifier = null, parameters, times, minutes } = body;
        const { clinicId } = caller;
        const { zone } = await opened(clinicId);
        const { operations }: FailureKind = sandboxFailures[failure];
        if (operation !== null && !operations.includes(operation)) {
          throw invalid('operation', `must be one that ${failure} is for: ${operations.join(', ')}`);
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
          actorOf(caller, requestId),
        );
        if (chosen.kind === 'too_many') {
          throw new AppError('conflict', `${MAX_FAILURES} failures wait already; remove some that are not needed`);
        }
        return { body: toFailure(chosen.failure, realNow) };
      },
    }),

    route({
      method: 'delete',
      path: '/sandbox/failures',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Remove all chosen failures',
      responses: { 200: { description: 'How many there were', schema: SandboxFailuresRemoved } },
      async handle({ caller, requestId }) {
        return {
          body: { removed: await stores.sandboxFailures.remove(caller.clinicId, null, actorOf(caller, requestId)) },
        };
      },
    }),

    route({
      method: 'delete',
      path: '/sandbox/failures/:failureId',
      access: 'admin',
      isOpenToSandboxTokens: true,
      tag,
      summary: 'Remove a chosen failure',
      params: z.object({ failureId: z.string() }),
      responses: { 204: { description: 'Removed' }, 404: { description: 'No such failure of this clinic' } },
      async handle({ caller, params: { failureId }, requestId }) {
        const removed = await stores.sandboxFailures.remove(caller.clinicId, failureId, actorOf(caller, requestId));
        if (removed === 0) throw new AppError('not_found', `Failure ${failureId} not found`);
        return { status: 204 };
      },
    }),
  ];
}

const invalid = (path: string, message: string) =>
  new AppError('bad_request', `${path} ${message}`, [{ path, message }]);

const toClock = (clock: SandboxClock | null, realNow: Date): SandboxClockView => ({
  now: sandboxTime(clock, realNow).toISOString(),
  isSet: clock !== null,
  isFrozen: clock !== null && clock.runsSince === null,
});

const toSnapshot = ({ takenAt, ...snapshot }: SnapshotRecord): SnapshotView => ({
  ...snapshot,
  takenAt: takenAt.toISOString(),
});

const toClient = ({ id, name, jwks, createdAt }: SandboxClientRecord): SandboxClientView => ({
  id,
  name,
  keyIds: jwks.keys.map(({ kid }) => String(kid)),
  createdAt: createdAt.toISOString(),
});

const toFailure = ({ createdAt, endsAt, ...failure }: SandboxFailureRecord, realNow: Date): SandboxFailureView => ({
  ...failure,
  isOver: failure.played >= failure.times || endsAt <= realNow,
  createdAt: createdAt.toISOString(),
  endsAt: endsAt.toISOString(),
});

const failureKinds: FailureKindView[] = sandboxFailureCodes.map((failure) => {
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

const kindnessKinds: KindnessKindView[] = kindnessNames.map((kindness) => ({ kindness, ...kindnesses[kindness] }));
