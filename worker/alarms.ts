import type { Stores } from '@clinic/prisma/stores';
import { type AlarmKind, isBulkRead, usualReads } from '@clinic/shared/domain/tasks/alarms';
import type { Logger } from '@clinic/shared/log';

/** The first pass of a process looks back so far: for so long there may have been none. */
const FIRST_LOOK_MS = 24 * 3_600_000;
/** An entry of the audit is sealed so late at most, or there is nobody who seals. */
const SEALED_LATE_MS = 15 * 60_000;

/** Opens the alarm of a person or key, kind and day, once, however often it is found. */
interface Alarm {
  clinicId: string;
  kind: Exclude<AlarmKind, 'emergency_access'>;
  /** Null for the clinic as a whole. */
  actor: string | null;
  day: string;
  detail: Record<string, number>;
}

/**
 * Looks at what the audit says of the days of today, and opens tasks for the clinics' administrators; tells the operator of each
 * alarm once. Every pass may be repeated.
 */
export function createAlarms({
  stores: { alarms, tasks },
  log,
  onAlarm = () => undefined,
}: {
  stores: Pick<Stores, 'alarms' | 'tasks'>;
  log: Logger;
  onAlarm?: (kind: string) => void;
}): () => Promise<void> {
  let since = new Date(Date.now() - FIRST_LOOK_MS);

  const open = ({ clinicId, kind, actor, day, detail }: Alarm) =>
    tasks.open({
      clinicId,
      reason: kind,
      cause: `alarm:${kind}:${actor ?? 'clinic'}:${day}`,
      detail: { ...(actor !== null && { actor }), day, ...detail },
    });

  return async () => {
    const startedAt = Date.now();
    for (const { clinicId, actor, day, patients, before } of await alarms.countReads(since)) {
      if (!isBulkRead({ patients, before })) continue;
      await open({ clinicId, kind: 'bulk_reads', actor, day, detail: { patients, usual: usualReads(before) } });
    }
    for (const { clinicId, actor, day, exports } of await alarms.exports(since)) {
      await open({ clinicId, kind: 'records_exported', actor, day, detail: { exports } });
    }
    for (const { clinicId, actor, day, refusals } of await alarms.refusals(since)) {
      await open({ clinicId, kind: 'refused_sign_ins', actor, day, detail: { refusals } });
    }
    for (const { clinicId, kind } of await alarms.tellOperator()) {
      log.warn({ clinicId, reason: kind }, 'an alarm was raised');
      onAlarm(kind);
    }
    since = new Date(startedAt - SEALED_LATE_MS);
  };
}
