import { CallingPreview, PreviewQuery } from '@clinic/shared/contracts/outreach/call-decisions';
import { CallingPolicySettings } from '@clinic/shared/contracts/outreach/calling-policy';
import { type CallingPolicy, nextStep, type NextStep } from '@clinic/shared/domain/outreach/calling-policy';
import type { PreviewedRun } from '@clinic/prisma/stores/outreach/call-preview';
import type { z } from 'zod';
import type { Deps } from '../../http/route';
import { spanOf } from '../../clinic-span';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({
  tag: 'Integrations: calling',
  access: 'api-key-or-clinic',
  right: 'workflows',
  patientData: 'none',
});

/** What is looked at for one answer. */
const MAX_RUNS = 5_000;

/** Who would be called now and who not, before anybody is. */
export const callingPreviewRoutes = [
  routes.get('/calling-policy/preview', {
    summary: 'How many patients of the open workflows would be called now, wait or be skipped, and why',
    description:
      'Up to 5,000 open workflows are looked at; `isComplete` says whether that was all of them. Nobody is called by asking.',
    query: PreviewQuery,
    responses: { 200: { description: 'By the calling policy as it is now', schema: CallingPreview } },
    handle: async ({ caller: { clinicId }, query }, { stores }) => ({
      body: await previewOf({ stores }, clinicId, query),
    }),
  }),
  routes.post('/calling-policy/preview', {
    access: 'clinic',
    right: 'settings',
    summary: 'The same by a calling policy that is not saved; changes nothing',
    description: 'The body is that of `PUT /integrations/recovery-policy`.',
    query: PreviewQuery,
    body: CallingPolicySettings,
    responses: { 200: { description: 'By the calling policy of the request', schema: CallingPreview } },
    handle: async ({ caller: { clinicId }, query, body }, { stores }) => ({
      body: await previewOf({ stores }, clinicId, query, body),
    }),
  }),
];

const previewOf = async (
  { stores }: Deps<'stores'>,
  clinicId: string,
  { from, until, ...filter }: z.output<typeof PreviewQuery>,
  changes?: Partial<CallingPolicy>,
) => {
  const started = await spanOf(stores, clinicId, { from, until });
  const runs = await stores.callPreview.openRuns(clinicId, { ...filter, ...started, limit: MAX_RUNS + 1 }, changes);
  const now = new Date().toISOString();
  const steps = runs.slice(0, MAX_RUNS).map((run) => ({ run, step: nextStep({ ...run.facts, now }) }));
  return toPreview(steps, runs.length <= MAX_RUNS);
};

interface Previewed {
  run: PreviewedRun;
  step: NextStep;
}

function toPreview(all: Previewed[], isComplete: boolean): CallingPreview {
  const waiting = all.filter(({ step }) => step.kind === 'wait');
  const skipped = all.filter(({ step }) => step.kind === 'no_call');
  return {
    ...countOf(all),
    isComplete,
    called: countOf(all.filter(({ step }) => step.kind === 'call')),
    waiting: byReason(waiting).map(([reason, some]) => ({
      reason: CallingPreview.shape.waiting.element.shape.reason.parse(reason),
      ...countOf(some),
      from: some.flatMap(({ step }) => (step.kind === 'wait' ? step.until : [])).toSorted()[0] ?? null,
    })),
    skipped: byReason(skipped).map(([reason, some]) => ({
      reason: CallingPreview.shape.skipped.element.shape.reason.parse(reason),
      ...countOf(some),
    })),
  };
}

const countOf = (some: Previewed[]) => ({
  runs: some.length,
  patients: new Set(some.map(({ run }) => run.patientId)).size,
});

/** The most frequent first. */
function byReason(some: Previewed[]): [string, Previewed[]][] {
  const groups = new Map<string, Previewed[]>();
  for (const each of some) {
    const reason = 'reason' in each.step ? each.step.reason : '';
    groups.set(reason, [...(groups.get(reason) ?? []), each]);
  }
  return [...groups].toSorted(([, one], [, other]) => other.length - one.length);
}
