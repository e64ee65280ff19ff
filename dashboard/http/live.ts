import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createParser } from 'eventsource-parser';
import { useEffect, useState } from 'react';
import { type Area, readAgain } from './areas';
import { session } from './session';

export type LiveState = 'connecting' | 'live' | 'offline';

const retryMs = [500, 1_000, 2_000, 5_000, 10_000];
/** Changes come in bursts; one round of reading serves them all. */
const gatherMs = 120;
/** While changes keep coming, rounds of reading are this far apart. */
const apartMs = 800;
/** The stream sends a comment every five seconds; silence means that the connection is gone. */
const silenceMs = 15_000;

/** The areas whose pages show something of a table. */
export const readers: Record<string, Area[]> = {
  recovery_cases: ['cases', 'overview'],
  workflow_runs: ['cases', 'overview', 'queue', 'runs'],
  calls: ['calls', 'cases', 'overview', 'patients', 'queue', 'runs'],
  call_decisions: ['cases', 'patients', 'queue', 'runs'],
  bulk_jobs: ['bulk'],
  waitlist_entries: ['waitlist'],
  tool_calls: ['calls', 'cases'],
  deliveries: ['deliveries', 'cases', 'overview'],
  staff_tasks: ['calls', 'tasks', 'overview', 'cases', 'patients'],
  task_notes: ['tasks'],
  patients: [
    'patients',
    'cases',
    'calls',
    'tasks',
    'queue',
    'runs',
    'providers',
    'dayList',
    'appointments',
    'waitlist',
    'optOuts',
  ],
  documents: ['patients'],
  legal_holds: ['patients'],
  opt_outs: ['optOuts', 'patients', 'tasks', 'overview'],
  appointments: ['providers', 'dayList', 'appointments', 'patients', 'overview', 'slots'],
  providers: ['providers', 'integrations'],
  api_keys: ['integrations'],
  secrets: ['integrations'],
  audit_entries: ['integrations', 'sandbox', 'proving', 'people', 'audit'],
  clinics: ['account', 'sandbox', 'proving', 'integrations', 'results'],
  validation_runs: ['validation'],
  sandbox_failures: ['proving'],
  viewers: ['viewers'],
  outreach_pauses: ['pauses', 'preview', 'cases'],
};

/**
 * Reads the service's stream of changes while somebody is signed in, and reads again what a change concerns. It is
 * `fetch` and not EventSource, which cannot send the Authorization header.
 */
export function useLiveUpdates(): LiveState {
  const queries = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  useEffect(() => {
    const stop = new AbortController();
    void follow({ queries, signal: stop.signal, onState: setState });
    return () => stop.abort();
  }, [queries]);
  return state;
}

async function follow({
  queries,
  signal,
  onState,
}: {
  queries: QueryClient;
  signal: AbortSignal;
  onState: (state: LiveState) => void;
}): Promise<void> {
  const refresh = createRefresh(queries);
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await readOnce(signal, {
        onOpen() {
          // Whatever changed while the stream was down was not told.
          if (failures > 0) refresh('*');
          failures = 0;
          onState('live');
        },
        onChange: refresh,
      });
    } catch {
      // Tried again below, whatever it was.
    }
    if (signal.aborted) return;
    onState('offline');
    await wait(retryMs[Math.min(failures, retryMs.length - 1)] ?? 10_000, signal);
  }
}

async function readOnce(
  signal: AbortSignal,
  { onOpen, onChange }: { onOpen: () => void; onChange: (table: string) => void },
): Promise<void> {
  const token = session.token();
  const connection = new AbortController();
  const close = () => connection.abort();
  signal.addEventListener('abort', close);
  // A connection of a network that is gone says nothing of it.
  window.addEventListener('offline', close);
  let silence = setTimeout(close, silenceMs);
  try {
    const response = await fetch('/api/stream', {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      signal: connection.signal,
    });
    if (response.status === 401) session.close('expired');
    if (!response.ok || !response.body) return;
    onOpen();
    const parser = createParser({
      onEvent({ data }) {
        const table = tableOf(data);
        if (table) onChange(table);
      },
    });
    for await (const text of chunks(response.body)) {
      clearTimeout(silence);
      silence = setTimeout(close, silenceMs);
      parser.feed(text);
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', close);
    window.removeEventListener('offline', close);
  }
}

async function* chunks(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

function tableOf(data: string): string | null {
  try {
    return (JSON.parse(data) as { table?: string }).table ?? null;
  } catch {
    return null;
  }
}

function createRefresh(queries: QueryClient): (table: string) => void {
  const due = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let readAt = 0;
  const read = () => {
    timer = undefined;
    readAt = Date.now();
    const isAll = [...due].some((each) => !(each in readers));
    const areas = [...due].flatMap((each) => readers[each] ?? []);
    due.clear();
    void (isAll ? queries.invalidateQueries() : readAgain(queries, areas));
  };
  return (table) => {
    due.add(table);
    timer ??= setTimeout(read, Math.max(gatherMs, readAt + apartMs - Date.now()));
  };
}

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const go = () => {
      clearTimeout(timer);
      window.removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, ms);
    signal.addEventListener('abort', go);
    window.addEventListener('online', go);
  });
