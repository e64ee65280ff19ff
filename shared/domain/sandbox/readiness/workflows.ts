import type { Exchange } from '../exchange';
import { after, before, type Behaviour, each, endOf, isOk, judged, notRepeated } from './judging';

/** Asked without `wait`, once a second is enough. */
const MIN_PAUSE_MS = 900;

const startsOf = (exchanges: readonly Exchange[]) => [
  ...new Map(
    exchanges
      .filter((at) => at.operation === 'start_workflow' && isOk(at))
      .map((at) => [at.facts.workflow, at] as const),
  ).values(),
];

export const workflowBehaviours: Behaviour[] = [
  {
    id: 'workflow-with-key',
    area: 'Workflows',
    title: 'Starts workflows with an Idempotency-Key',
    howToCause: 'Add the header Idempotency-Key to POST /workflows/start.',
    judge: each('start_workflow', ({ key }) =>
      key === null ? 'It started a workflow without an Idempotency-Key' : null,
    ),
  },
  {
    id: 'workflow-followed',
    area: 'Workflows',
    title: 'Follows a workflow until it has ended',
    howToCause: 'Start a workflow, then GET /workflows/<id>?wait=30 until its status is no longer started.',
    judge: (exchanges) =>
      judged(
        startsOf(exchanges).map((at) => {
          const end = after(exchanges, at).find(
            ({ operation, facts: { workflow, state } }) =>
              ['read_workflow', 'cancel_workflow'].includes(operation) &&
              workflow === at.facts.workflow &&
              state !== undefined &&
              state !== 'started',
          );
          return end ? { at: end, wrong: null } : { at, wrong: 'It did not ask how the workflow ended' };
        }),
      ),
  },
  {
    id: 'workflow-patiently',
    area: 'Workflows',
    title: 'Waits by ?wait, or asks at most once a second',
    howToCause: 'GET /workflows/<id>?wait=30 in place of asking again and again.',
    judge: (exchanges) =>
      each('read_workflow', (at) => {
        if (!isOk(at)) return undefined;
        const last = before(exchanges, at).findLast((other) => other.request === at.request);
        const isSoon = last !== undefined && Date.parse(at.at) - endOf(last) < MIN_PAUSE_MS;
        const isHeld = (at.facts.waitSeconds ?? 0) > 0;
        return isSoon && !isHeld ? 'It asked again within a second' : null;
      })(exchanges),
  },
  {
    id: 'unknown-workflow-once',
    area: 'Workflows',
    title: 'Does not ask again for an unknown workflow',
    howToCause: 'GET /workflows/nowhere: 404.',
    judge: notRepeated(
      ({ operation, status }) => operation === 'read_workflow' && status === 404,
      'It asked again for an unknown workflow',
    ),
  },
];
