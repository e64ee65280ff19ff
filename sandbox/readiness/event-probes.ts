import { newId } from '@clinic/shared/crypto';
import type { EventProbe } from '@clinic/shared/domain/sandbox/exchange';
import { newSigningSecret } from '@clinic/shared/signing';
import type { Watch } from './watch';

const STALE_MS = 10 * 60_000;

/** Posts one event as a receiver gets them; the status is null where there was no reply. */
type SendEvent = (event: {
  url: string;
  id: string;
  signedAt: Date;
  body: string;
  secrets: string[];
}) => Promise<{ status: number | null; durationMs: number }>;

/** Sends a series of events, one after the other, and has the run note what came back. */
export async function sendProbes({
  clinicId,
  url,
  secrets,
  sendEvent,
  watch,
}: {
  clinicId: string;
  url: string;
  secrets: string[];
  sendEvent: SendEvent;
  watch: Watch;
}): Promise<{ probe: EventProbe; webhookId: string; status: number | null }[]> {
  const recoveryCaseId = newId();
  const sessionId = newId('session');
  const bodyOf = (event: string, data: object) =>
    JSON.stringify({ event, clinicId, sentAt: new Date().toISOString(), data: { recoveryCaseId, sessionId, ...data } });
  const created = bodyOf('recovery_case.created', { patientFirstName: 'Ada', patientLastName: 'Example' });
  const outcome = bodyOf('recovery_case.outcome', { recoveryStatus: 'RECOVERED' });
  const ids = {
    created: newId(),
    forged: newId(),
    stale: newId(),
    outcome: newId(),
    unknown: newId(),
    rotated: newId(),
  };
  const forged = [newSigningSecret()];

  const series: { probe: EventProbe; id: string; body: string; by?: string[]; agoMs?: number }[] = [
    { probe: 'forged', id: ids.forged, body: outcome, by: forged },
    { probe: 'genuine', id: ids.created, body: created },
    { probe: 'duplicate', id: ids.created, body: created },
    { probe: 'stale', id: ids.stale, body: outcome, agoMs: STALE_MS },
    { probe: 'outcome', id: ids.outcome, body: outcome },
    { probe: 'unknown_event', id: ids.unknown, body: bodyOf('recovery_case.reviewed', {}) },
    {
      probe: 'rotated',
      id: ids.rotated,
      body: bodyOf('test', { message: 'This is a test event.' }),
      by: [...forged, ...secrets],
    },
  ];
  const sent = [];
  for (const { probe, id, body, by = secrets, agoMs = 0 } of series) {
    const startedAt = Date.now();
    const { status, durationMs } = await sendEvent({
      url,
      id,
      body,
      secrets: by,
      signedAt: new Date(startedAt - agoMs),
    });
    watch.add(clinicId, {
      at: new Date(startedAt).toISOString(),
      durationMs,
      operation: 'event',
      status,
      credential: null,
      key: null,
      request: watch.digest(`event ${id} ${probe}`),
      retryAfterSeconds: null,
      refusal: null,
      facts: { probe, webhookId: id },
    });
    sent.push({ probe, webhookId: id, status });
  }
  return sent;
}
