import { setTimeout as delay } from 'node:timers/promises';
import { whyDatabaseFailed } from '@clinic/prisma/failures';
import type { LiveCall } from '@clinic/prisma/stores/outreach/live-calls';
import { noResult } from '@clinic/shared/domain/voice/tool-request';
import { describeError } from '@clinic/shared/log';
import type { RouteDeps } from '../route-deps';
import { answerOnce, type AskedTool, type ToolPoster } from './answer-once';
import { findTool } from './registry';

/** The agent gets a sentence to say after this long; the work goes on (docs/contract.md, 5). */
const DEADLINE_MS = 8_000;
/** A database that restarts is back within seconds: the caller need not hear of it. */
const AGAIN_MS = 250;

export const NOT_RECOGNISED = JSON.stringify({ success: false, error: 'call not recognised' });
/** One after the other within the deadline: more than these would hardly get their turn. */
export const MAX_TOOL_CALLS = 32;

export const TOO_MANY = JSON.stringify({
  success: false,
  error: `A request holds at most ${MAX_TOOL_CALLS} tool calls. Send this one again in another request.`,
});
const STILL_WORKING = JSON.stringify({ success: false, error: noResult.stillWorking });
const FAILED = JSON.stringify({ success: false, error: noResult.failed });

export interface ToolRunner {
  /**
   * The replies to the tool calls of one request, as single-line JSON, in order: run one after the other, each stored
   * the first time and repeated for the same id, never thrown. Nobody waits longer than the deadline for any of them.
   */
  run(call: LiveCall, asked: AskedTool[], from: ToolPoster): Promise<string[]>;
}

export interface ToolRunnerDeps extends Pick<RouteDeps, 'stores' | 'systems' | 'temporal' | 'metrics'> {
  deadlineMs?: number;
}

export function createToolRunner({ deadlineMs = DEADLINE_MS, ...deps }: ToolRunnerDeps): ToolRunner {
  const { metrics } = deps;
  return {
    async run(call, asked, from) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<string>((resolve) => {
        timer = setTimeout(resolve, deadlineMs, STILL_WORKING);
      });
      let before: Promise<unknown> = Promise.resolve();
      const replies = asked.map((each) => {
        const reply = before.then(() => answerSafely({ ...deps, deadlineMs }, { call, asked: each, from }));
        before = reply;
        return Promise.race([reply, late]);
      });
      const answered = await Promise.all(replies);
      clearTimeout(timer);
      const unfinished = asked.filter((_each, index) => answered[index] === STILL_WORKING);
      if (unfinished.length > 0) {
        metrics.tools.observe({ tool: 'any', result: 'deadline' }, deadlineMs / 1_000);
        void leaveToStaff(deps, call, unfinished).catch((error: unknown) =>
          from.log.error({ ...describeError(error), callId: call.callId }, 'the task of a late tool was not opened'),
        );
      }
      return answered;
    },
  };
}

/** The caller was told that somebody calls back about a change, so somebody must. */
async function leaveToStaff(
  { stores }: Pick<ToolRunnerDeps, 'stores'>,
  call: LiveCall,
  late: AskedTool[],
): Promise<void> {
  const tools = late.flatMap(({ family, name }) => (findTool(family, name)?.isWrite ? [name] : []));
  if (tools.length === 0) return;
  const { clinicId, callId, patientId, caseId, workflowId } = call;
  const why = `It took too long during the call: ${[...new Set(tools)].join(', ')}. See what came of it, and tell the patient.`;
  const cause = `tool_late:${callId}`;
  await stores.tasks.open({
    clinicId,
    reason: 'follow_up_required',
    cause,
    patientId,
    callId,
    caseId,
    workflowId,
    detail: { why },
  });
}

/** The reply to a tool call, or a sentence in its place: tried again while the database does not reply, as long as there is time. */
async function answerSafely(
  { deadlineMs, metrics, ...deps }: Required<ToolRunnerDeps>,
  { call, asked, from }: { call: LiveCall; asked: AskedTool; from: ToolPoster },
): Promise<string> {
  const { family, name } = asked;
  const startedAt = performance.now();
  const passedMs = () => performance.now() - startedAt;
  const observe = (result: string) =>
    metrics.tools.observe({ tool: findTool(family, name) ? name : 'unknown', result }, passedMs() / 1_000);
  for (;;) {
    try {
      const reply = await answerOnce(deps, { call, asked, from });
      observe('answered');
      return reply;
    } catch (error) {
      const about = { ...describeError(error), tool: name, callId: call.callId };
      const isPassing = whyDatabaseFailed(error) !== null && passedMs() + AGAIN_MS < deadlineMs;
      if (!isPassing) {
        observe('failed');
        from.log.error(about, 'a tool failed');
        return FAILED;
      }
      from.log.warn(about, 'a tool is tried again: the database did not reply');
      await delay(AGAIN_MS);
    }
  }
}
