import { offeredSlots } from '@clinic/shared/domain/calendar/slots';
import { localDate, plusDays, toInstant } from '@clinic/shared/domain/calendar/clinic-time';
import { dayMs, hourMs } from '@clinic/shared/domain/calendar/zone-offsets';
import type { WaitlistStatus } from '@clinic/shared/domain/calendar/waitlist';
import type { CancellationReason } from '@clinic/shared/domain/calendar/cancellation-reasons';
import type { ClinicToFill } from './clinic';
import type { Person } from './people';
import type { Rows } from './rows';

const DAYS_AHEAD = 28;
const reasons: CancellationReason[] = [
  'pat',
  'pat',
  'pat-cpp',
  'pat-fb',
  'pat-lt',
  'pat-crs',
  'prov-pers',
  'oth-weath',
];

/** Visits on the times that the providers really offer: over half of the past ones, fewer the further they are ahead. */
export function addVisits(clinic: ClinicToFill, rows: Rows, people: readonly Person[]): void {
  const { clinicId, closedDays, newId, now, providers, random, zone } = clinic;
  const weeksBack = Math.min(26, Math.max(2, Math.ceil(clinic.cases / 40)));
  const from = toInstant(now - weeksBack * 7 * dayMs);
  for (const { id: providerId, name, workingHours, visitTypes } of providers) {
    const until = toInstant(now + DAYS_AHEAD * dayMs);
    const slots = offeredSlots({ providerName: name, hours: workingHours, zone, booked: [], from, until, now: from });
    for (const { startsAt, endsAt } of slots) {
      const start = Date.parse(startsAt);
      const daysAhead = (start - now) / dayMs;
      const isWanted = random.chance(daysAhead < 0 ? 0.55 : Math.max(0.12, 0.72 - daysAhead * 0.03));
      if (!isWanted || closedDays.includes(localDate(startsAt, zone))) continue;
      const isCancelled = random.chance(daysAhead < 0 ? 0.12 : 0.05);
      const createdAt = Math.min(start - random.between(1, 40) * dayMs, now - hourMs);
      const cancelledAt = Math.min(createdAt + random.between(0, 1) * Math.max(0, start - createdAt), now - hourMs);
      rows.appointments.push({
        id: newId(createdAt),
        clinicId,
        patientId: random.pick(people).id,
        providerId,
        status: isCancelled ? 'cancelled' : start + hourMs / 2 < now ? 'fulfilled' : 'booked',
        visitType:
          visitTypes[random.weighed(visitTypes.map((_, index) => 3 / (1 + index)))] ?? 'Follow-up consultation',
        startsAt,
        endsAt,
        cancelledAt: isCancelled ? new Date(Math.max(createdAt, cancelledAt)) : undefined,
        cancellationReason: isCancelled ? random.pick(reasons) : undefined,
        createdAt: new Date(createdAt),
      });
    }
  }
}

/** Who waits for a time, and who did. */
export function addWaitlist(clinic: ClinicToFill, rows: Rows, people: readonly Person[]): void {
  const { clinicId, newId, now, providers, random, userIds, zone } = clinic;
  const today = localDate(toInstant(now), zone);
  const statuses: WaitlistStatus[] = ['waiting', 'waiting', 'booked', 'removed', 'expired'];
  const count = Math.min(people.length, 4 + Math.floor(clinic.cases / 60));
  for (const [index, person] of people.slice(0, count).entries()) {
    const status = statuses[index % statuses.length] ?? 'waiting';
    const isOpen = status === 'waiting';
    const provider = random.chance(0.6) ? random.pick(providers) : undefined;
    const createdAt = now - random.between(isOpen ? 0.1 : 30, isOpen ? 12 : 90) * dayMs;
    const earliestOn = isOpen ? plusDays(today, random.whole(0, 3)) : localDate(toInstant(createdAt), zone);
    const isMorning = random.chance(0.4);
    rows.waitlist.push({
      id: newId(createdAt),
      clinicId,
      patientId: person.id,
      providerId: provider?.id,
      visitType: provider?.visitTypes[0] ?? 'Follow-up consultation',
      earliestOn,
      latestOn: plusDays(earliestOn, random.whole(7, 25)),
      fromTime: isMorning ? '08:00' : undefined,
      untilTime: isMorning ? '12:00' : undefined,
      status,
      addedBy: `account:${random.pick(userIds)}`,
      createdAt: new Date(createdAt),
      endedAt: isOpen ? undefined : new Date(createdAt + random.between(1, 20) * dayMs),
    });
  }
}
