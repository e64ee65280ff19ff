import { Calendar, Providers, ShowCalendar } from '@clinic/shared/contracts/calendar/providers';
import { AppError } from '@clinic/shared/errors';
import { momentOf } from '../../clinic-span';
import { toView } from './appointments';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Providers', access: 'api-key-or-clinic', right: 'appointments.read' });

const MAX_DAYS = 70;
/** More than fit into ten weeks of one provider. */
const MAX_APPOINTMENTS = 5_000;

/** Who can be booked, and the calendar that the dashboard shows. */
export const providerRoutes = [
  routes.get('/providers', {
    patientData: 'none',
    summary: "The clinic's providers and its zone",
    description:
      '`name` is what other routes take; `displayName` is for people. With weekly hours and the visit types of each.',
    responses: {
      200: {
        description: 'All of them, by name',
        schema: Providers,
      },
    },
    async handle({ caller: { clinicId } }, { stores }) {
      const [agenda, act] = await Promise.all([stores.agendas.of(clinicId), stores.visits.callsAct(clinicId)]);
      const items = (agenda?.providers ?? []).map(({ name, displayName, workingHours, visitTypes }) => ({
        name,
        displayName,
        workingHours,
        visitTypes,
      }));
      return { body: { timezone: agenda?.zone ?? 'UTC', ...act, items } };
    },
  }),
  routes.get('/providers/:name/calendar', {
    patientData: { action: 'calendar.read' },
    summary: "A provider's open slots and appointments between two days or instants",
    description:
      '70 days at most (400). Times that are held for somebody are listed apart: they are neither open nor booked.',
    query: ShowCalendar,
    responses: {
      200: {
        description: 'Both in order of time; cancelled appointments are left out',
        schema: Calendar,
      },
      404: { description: 'No such provider of this clinic' },
    },
    async handle({ caller: { clinicId }, params: { name }, query }, { stores }) {
      const agenda = await stores.agendas.of(clinicId);
      const zone = agenda?.zone ?? 'UTC';
      const from = momentOf('from', query.from, zone);
      const until = momentOf('until', query.until, zone);
      if (Date.parse(until) - Date.parse(from) > MAX_DAYS * 24 * 3_600_000) {
        throw new AppError('bad_request', `until lies more than ${MAX_DAYS} days after from`);
      }
      if (!(await stores.providers.find(clinicId, name))) {
        throw new AppError('not_found', `Practitioner ${name} not found`);
      }
      const now = await stores.agendas.now(clinicId);
      const [open, booked, held] = await Promise.all([
        stores.appointments.openSlots({ clinicId, provider: name, from, until, now }),
        stores.appointments.calendar(clinicId, { providerName: name, from, until, limit: MAX_APPOINTMENTS }),
        stores.holds.ofProvider(clinicId, { providerName: name, from, until, now }),
      ]);
      const slots = open.kind === 'slots' ? open.slots : [];
      return {
        body: {
          timezone: zone,
          slots: slots.map(({ slotId, providerName, startsAt, endsAt }) => ({
            slotId,
            providerName,
            startsAt,
            endsAt,
          })),
          appointments: booked.map(({ patientName, ...appointment }) => ({ ...toView(appointment), patientName })),
          held: held.map(({ id, startsAt, heldUntil, patientId, patientName, isOffered }) => ({
            id,
            startsAt: startsAt.toISOString(),
            heldUntil: heldUntil.toISOString(),
            patientId,
            patientName,
            isOffered,
          })),
        },
        subjects: [...booked, ...held].map(({ patientId }) => patientId),
      };
    },
  }),
];
