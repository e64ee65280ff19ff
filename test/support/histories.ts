import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { KeyRing } from '@clinic/shared/config';
import { TASK_QUEUE } from '@clinic/workflows/ids';

/** Recorded histories are encrypted with it; it is no secret. */
export const testPayloadKeys: KeyRing = [{ id: 'test', key: Buffer.alloc(32, 'histories of tests') }];

const folder = join(__dirname, '..', 'histories');

export interface RecordedHistory {
  /** `<workflow>/<story>` */
  name: string;
  workflowId: string;
  history: { events: HistoryEvent[] };
}

export interface HistoryEvent {
  eventId: string;
  eventType: string;
  [attributes: string]: unknown;
}

/** Everything under test/histories. */
export function recordedHistories(): RecordedHistory[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .toSorted()
    .map((path) => ({
      name: path.slice(0, -'.json'.length).replaceAll('\\', '/'),
      ...(JSON.parse(readFileSync(join(folder, path), 'utf8')) as Pick<RecordedHistory, 'workflowId' | 'history'>),
    }));
}

/**
 * Keeps a run that is over as `test/histories/<name>.json`; only where RECORD_HISTORIES is set, and never over another
 * one: runs like those recorded may still be open somewhere.
 */
export async function recordHistory(workflow: WorkflowHandle, name: string): Promise<void> {
  if (!process.env.RECORD_HISTORIES) return;
  const path = join(folder, `${name}.json`);
  mkdirSync(dirname(path), { recursive: true });
  const { events } = JSON.parse(historyToJSON(await workflow.fetchHistory())) as RecordedHistory['history'];
  const lines = events.map((event) => JSON.stringify(event, withoutPlace));
  const text = `{"workflowId":"${workflow.workflowId}","history":{"events":[\n${lines.join(',\n')}\n]}}\n`;
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Where a history was recorded is nobody's business. */
function withoutPlace(key: string, value: unknown): unknown {
  if (key === 'identity') return 'recorder';
  if (key === 'taskQueue') return { name: TASK_QUEUE, kind: 'TASK_QUEUE_KIND_NORMAL' };
  return value;
}
