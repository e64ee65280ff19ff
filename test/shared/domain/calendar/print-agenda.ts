import { localDate, parseSpokenTime, startOfDate } from '@clinic/shared/domain/calendar/clinic-time';
import { nextCallingTime } from '@clinic/shared/domain/outreach/calling-hours';
import { offeredSlots } from '@clinic/shared/domain/calendar/slots';
import { spokenTime } from '@clinic/shared/domain/voice/spoken-time';
import { anAgenda, everyDay } from './agendas';

/** Prints what the domain computes over a clock change; server-zone.test.ts runs it under several server zones. */
const zone = 'America/Denver';
const from = startOfDate('2026-03-07', zone);
const hours = everyDay('00:00-04:00', '18:00-24:00');

process.stdout.write(
  JSON.stringify({
    slots: offeredSlots({ ...anAgenda({ hours, zone }), from, until: startOfDate('2026-03-10', zone) }),
    spoken: spokenTime('2026-03-08T10:30:00.000Z', zone),
    date: localDate('2026-03-08T05:30:00.000Z', zone),
    wall: parseSpokenTime('2026-03-08T03:30', zone),
    call: nextCallingTime({ hours, zone, from: '2026-03-08T12:00:00.000Z' }),
  }),
);
