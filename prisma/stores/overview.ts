import type { Database } from '../client';

/** What happened since a moment, and what is so now. */
export interface Overview {
  cases: { opened: number; ended: number; byStatus: Record<string, number> };
  calls: { running: number; placed: number };
  deliveries: { delivered: number; retrying: number; dead: number; failingSince: Date | null };
  tasks: { open: number; unassigned: number };
  appointments: { booked: number; onTheDay: number };
}

export interface OverviewStores {
  of(clinicId: string, day: { from: string; until: string }): Promise<Overview>;
}

export function createOverviewStores({ sql }: Database): OverviewStores {
  return {
    async of(clinicId, { from, until }) {
      const [cases, [now], [receiver]] = await Promise.all([
        sql<{ status: string; count: number; opened: number; ended: number }>`
          select status, count(*)::int as count,
            count(*) filter (where created_at >= ${from} and created_at < ${until})::int as opened,
            count(*) filter (where ended_at >= ${from} and ended_at < ${until})::int as ended
          from recovery_cases
          where clinic_id = ${clinicId} and (status in ('PENDING', 'CALLING')
            or (created_at >= ${from} and created_at < ${until}) or (ended_at >= ${from} and ended_at < ${until}))
          group by status`,
        sql<Record<keyof typeof nothing, number>>`
          select
            (select count(*)::int from calls where clinic_id = ${clinicId} and state <> 'ENDED' and not is_test) as running,
            (select count(*)::int from calls where clinic_id = ${clinicId} and created_at >= ${from} and created_at < ${until}
              and platform_call_id is not null and not is_test) as placed,
            (select count(*)::int from deliveries where clinic_id = ${clinicId} and created_at >= ${from}
              and created_at < ${until} and state = 'DELIVERED') as delivered,
            (select count(*)::int from deliveries where clinic_id = ${clinicId} and state = 'PENDING' and tries > 0) as retrying,
            (select count(*)::int from deliveries where clinic_id = ${clinicId} and state = 'DEAD') as dead,
            (select count(*)::int from staff_tasks where clinic_id = ${clinicId} and state = 'OPEN') as open,
            (select count(*)::int from staff_tasks where clinic_id = ${clinicId} and state = 'OPEN'
              and assignee_id is null) as unassigned,
            (select count(*)::int from appointments where clinic_id = ${clinicId} and created_at >= ${from}
              and created_at < ${until}) as booked,
            (select count(*)::int from appointments where clinic_id = ${clinicId} and starts_at >= ${from}
              and starts_at < ${until} and status <> 'cancelled') as "onTheDay"`,
        sql<{ failingSince: Date | null }>`
          select h.failing_since as "failingSince"
          from endpoint_health h join outbound_endpoints o on o.clinic_id = h.clinic_id and o.url = h.url
          where h.clinic_id = ${clinicId}`,
      ]);
      const { running, placed, delivered, retrying, dead, open, unassigned, booked, onTheDay } = now ?? nothing;
      return {
        cases: {
          opened: cases.reduce((sum, { opened }) => sum + opened, 0),
          ended: cases.reduce((sum, { ended }) => sum + ended, 0),
          byStatus: Object.fromEntries(cases.map(({ status, count }) => [status, count])),
        },
        calls: { running, placed },
        deliveries: { delivered, retrying, dead, failingSince: receiver?.failingSince ?? null },
        tasks: { open, unassigned },
        appointments: { booked, onTheDay },
      };
    },
  };
}

const nothing = {
  running: 0,
  placed: 0,
  delivered: 0,
  retrying: 0,
  dead: 0,
  open: 0,
  unassigned: 0,
  booked: 0,
  onTheDay: 0,
};
