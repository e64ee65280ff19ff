import { retentionDefaults } from '@clinic/shared/domain/operations/retention';
import { dayMs, hourMs, minuteMs } from '@clinic/shared/domain/calendar/zone-offsets';
import type { ClinicToFill } from './clinic';
import { json, type Rows } from './rows';

interface Told {
  event: string;
  subject: string;
  at: number;
  data: Record<string, unknown>;
}

const URL = 'https://hooks.clinic.example/events';
/** The clinic's own system was down for an evening. */
const outage = ({ now }: ClinicToFill) => ({ from: now - 19 * dayMs, until: now - 19 * dayMs + 6 * hourMs });

/** An event and what became of it at the clinic's endpoint. Older ones than are kept are not there. */
export function tell(clinic: ClinicToFill, rows: Rows, { event, subject, at, data }: Told): void {
  const { clinicId, receiverId, newId, now, random } = clinic;
  if (at < now - (retentionDefaults.event_bodies - 1) * dayMs) return;
  const id = newId(at, event);
  const { from, until } = outage(clinic);
  const isDown = at >= from && at < until;
  const isDead = isDown ? random.chance(0.25) : random.chance(0.004);
  const failures = isDead ? 6 : isDown ? random.whole(2, 4) : Number(random.chance(0.03));
  const attempts = isDead ? failures : failures + 1;
  // Each wait is four times as long as the one before.
  const triedAt = (index: number) => Math.min(at + (4 ** index - 1) * (minuteMs / 2), now - 1_000);
  rows.events.push({ id, clinicId, event, subject, data: json(data), createdAt: new Date(at) });
  rows.deliveries.push({
    id,
    clinicId,
    eventId: id,
    receiverId,
    eventName: event,
    subject,
    state: isDead ? 'DEAD' : 'DELIVERED',
    tries: attempts,
    createdAt: new Date(at),
    deliveredAt: isDead ? undefined : new Date(triedAt(failures) + 90),
  });
  for (let index = 0; index < attempts; index += 1) {
    const isDelivered = !isDead && index === failures;
    const hasAnswer = isDelivered || random.chance(0.6);
    rows.attempts.push({
      id: newId(at, 'attempt'),
      clinicId,
      deliveryId: id,
      receiverId,
      url: URL,
      at: new Date(triedAt(index)),
      status: isDelivered ? 200 : hasAnswer ? 503 : undefined,
      error: hasAnswer ? undefined : 'no answer within 10 s',
      durationMs: hasAnswer ? random.whole(35, 420) : 10_000,
      response: isDelivered ? 'ok' : hasAnswer ? 'Service Unavailable' : undefined,
    });
  }
}
