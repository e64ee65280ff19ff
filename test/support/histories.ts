import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import type { KeyRing } from '@clinic/shared/config';
import { TASK_QUEUE } from '@clinic/workflows/ids';

/** Recorded histories are encrypted with it; it is no secret. */
export const testPayloadKeys: KeyRing = [{ id: 'test', key: Buffer.alloc(32, 'histories of tests') }];

const folder = join(__dirname, '..', 'histories');
const EXTENSION = '.json.gz';

export interface RecordedHistory {
  /** `<workflow>/<story>` */
  name: string;
  workflowId: string;
  history: { events: HistoryEvent[] };
}

type Recorded = Omit<RecordedHistory, 'name'>;

export interface HistoryEvent {
  eventId: string;
  eventType: string;
  [attributes: string]: unknown;
}

/** Everything under test/histories. */
export function recordedHistories(): RecordedHistory[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(EXTENSION))
    .toSorted()
    .map((path) => ({
      name: path.slice(0, -EXTENSION.length).replaceAll('\\', '/'),
      ...(JSON.parse(gunzipSync(readFileSync(join(folder, path))).toString()) as Recorded),
    }));
}

/** Keeps a run that is over as `test/histories/<name>.json.gz`, where RECORD_HISTORIES names its workflow or says `all`. */
export async function recordHistory(workflow: WorkflowHandle, name: string): Promise<void> {
  const wanted = process.env.RECORD_HISTORIES;
  if (!wanted || (wanted !== 'all' && !name.startsWith(`${wanted}/`))) return;
  const path = join(folder, name + EXTENSION);
  mkdirSync(dirname(path), { recursive: true });
  const { events } = JSON.parse(historyToJSON(await workflow.fetchHistory())) as Recorded['history'];
  const recorded: Recorded = { workflowId: workflow.workflowId, history: { events } };
  writeFileSync(path, gzipSync(JSON.stringify(recorded, withoutPlace), { level: 9 }));
}

/** Where a history was recorded is nobody's business. */
function withoutPlace(key: string, value: unknown): unknown {
  if (key === 'identity') return 'recorder';
  if (key === 'taskQueue') return { name: TASK_QUEUE, kind: 'TASK_QUEUE_KIND_NORMAL' };
  return value;
}
