import {
  CallHolds,
  ChangedLeniency,
  type LenientRuleView,
  SandboxCountsView,
  SandboxLeniencyView,
  SandboxView,
} from '@clinic/shared/contracts/sandbox/sandbox';
import { lenientRules, lenientRuleNames } from '@clinic/shared/domain/sandbox/leniency';
import { configuration, opened } from './configuration';
import { toClock } from './clock';
import { failureKinds, toFailure } from './failures';
import { toSnapshot } from './snapshots';

/** The sandbox as it is set, its reset, and how lenient it is. */
export const ownSandboxRoutes = [
  configuration.get('/sandbox', {
    right: 'settings.read',
    summary: "The sandbox's clock, what it holds, its snapshots, and the failures that can be chosen and were",
    description:
      'Enough for a test to assert what it starts from. `failureKinds` and `lenientRules` say what can be chosen.',
    responses: { 200: { description: 'The sandbox as it is set', schema: SandboxView } },
    async handle({ caller: { clinicId } }, { stores }) {
      const [agenda, counts, snapshots, failures, leniency] = await Promise.all([
        stores.agendas.of(clinicId),
        stores.sandboxData.counts(clinicId),
        stores.sandboxData.snapshots(clinicId),
        stores.sandboxFailures.list(clinicId),
        stores.sandboxLeniency.find(clinicId),
      ]);
      const realNow = new Date();
      return {
        body: {
          enabled: agenda?.isSandboxEnabled ?? false,
          hasRealPatients: agenda?.hasRealPatients ?? false,
          clock: toClock(agenda?.clock ?? null, realNow),
          callHoldMinutes: agenda?.callHoldMinutes ?? 0,
          counts,
          snapshots: snapshots.map(toSnapshot),
          failures: failures.map((failure) => toFailure(failure, realNow)),
          failureKinds,
          leniency,
          lenientRules: ruleViews,
        },
      };
    },
  }),
  configuration.post('/sandbox/reset', {
    summary: 'Make the sandbox hold the fixtures and nothing else, seen from its clock; ends all chosen failures',
    description:
      'Deletes only what was made while the sandbox was on. Fixture patients keep their ids. Patients whom a workflow, a call, a task or a consent concerns stay, and whatever is under a legal hold.',
    responses: { 200: { description: 'What it holds now', schema: SandboxCountsView } },
    async handle({ caller: { clinicId }, by }, { stores }) {
      await opened({ stores }, clinicId);
      return { body: await stores.sandboxData.reset({ clinicId, realNow: new Date() }, by) };
    },
  }),
  configuration.patch('/sandbox/leniency', {
    summary: 'Switch lenient rules of the sandbox EMR off, or on again: what a real EHR does not do for a client',
    description: 'What is left out stays as it is. With all of them on, the sandbox does what it always did.',
    body: ChangedLeniency,
    responses: { 200: { description: 'All of them as they are now', schema: SandboxLeniencyView } },
    async handle({ caller: { clinicId }, body, by }, { stores }) {
      await opened({ stores }, clinicId);
      return { body: await stores.sandboxLeniency.change({ clinicId, to: body }, by) };
    },
  }),
  configuration.put('/sandbox/call-holds', {
    summary: 'Whether live calls may keep a time for their callers, and for how long',
    description: 'With more than 0 minutes the agent of a call has the tool `hold_time`.',
    body: CallHolds,
    responses: { 200: { description: 'As it is from now on', schema: CallHolds } },
    async handle({ caller: { clinicId }, body: { minutes }, by }, { stores }) {
      // Calls with real patients may hold times too, in the calendar kept here.
      if (!(await stores.agendas.of(clinicId))?.hasRealPatients) await opened({ stores }, clinicId);
      await stores.holds.setForCalls({ clinicId, minutes }, by);
      return { body: { minutes } };
    },
  }),
];

const ruleViews: LenientRuleView[] = lenientRuleNames.map((rule) => ({ rule, ...lenientRules[rule] }));
