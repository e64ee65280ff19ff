import { defaultVisitType } from '@clinic/shared/contracts/calendar/appointments';
import { ListWaitlist, NewWaitlistEntry, WaitlistEntryView } from '@clinic/shared/contracts/calendar/waitlist';
import { localDate } from '@clinic/shared/domain/calendar/clinic-time';
import { AppError, invalid } from '@clinic/shared/errors';
import type { WaitlistRecord } from '@clinic/prisma/stores/calendar/waitlist';
import { mapPage } from '../../http/list-route';
import { type Reply } from '../../http/route';
import { zoneOf } from '../../clinic-span';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Waitlist', access: 'api-key-or-clinic', right: 'appointments' });

/** Who waits for a time that becomes free in the sandbox EMR (docs/sandbox.md, "The waitlist"). */
export const waitlistRoutes = [
  routes.list('/waitlist', {
    right: 'appointments.read',
    patientData: { action: 'waitlist.list' },
    summary: 'Who waits or has waited for a time that becomes free',
    description:
      'The newest first; `open=true` leaves out those who were booked, removed or have waited in vain, and is first come first.',
    query: ListWaitlist,
    item: WaitlistEntryView,
    items: 'entries',
    subjectOf: ({ patientId }) => patientId,
    read: async ({ caller: { clinicId }, query: { open: isOpen, ...filter } }, { stores }) =>
      mapPage(await stores.waitlist.list(clinicId, { ...filter, isOpen }), toView),
  }),
  routes.post('/waitlist', {
    patientData: { action: 'waitlist.add', isChange: true },
    summary: 'Put a patient on the waitlist',
    description:
      'When a matching time becomes free in the sandbox EMR, it is held for them and they are called, first come first, within the calling policy. Who waits for the same already keeps their place.',
    body: NewWaitlistEntry,
    isIdempotent: true,
    responses: {
      200: { description: 'The entry', schema: WaitlistEntryView },
      404: { description: 'No such patient or provider of this clinic' },
      409: { description: 'waitlist_full: the patient has ten open entries' },
    },
    async handle({ caller: { clinicId }, body, idOfNew, by }, { stores }) {
      const { patientId, providerName, visitType = defaultVisitType, earliestOn, latestOn } = body;
      const zone = await zoneOf(stores, clinicId);
      const today = localDate((await stores.agendas.now(clinicId)).toISOString(), zone);
      if (latestOn < today) {
        throw invalid('latestOn', 'lies in the past');
      }
      const added = await stores.waitlist.add(
        {
          clinicId,
          entryId: idOfNew,
          patientId,
          provider: providerName ?? null,
          visitType,
          earliestOn,
          latestOn,
          fromTime: body.fromTime ?? null,
          untilTime: body.untilTime ?? null,
        },
        by.actor,
      );
      switch (added.kind) {
        case 'added':
          return show(added.entry);
        case 'unknown_patient':
          throw new AppError('not_found', `Patient ${patientId} not found`);
        case 'unknown_provider':
          throw new AppError('not_found', `Provider ${providerName ?? ''} not found`);
        case 'too_many':
          throw new AppError('waitlist_full', 'The patient waits for as many times as possible already');
      }
    },
  }),
  routes.delete('/waitlist/:entryId', {
    patientData: { action: 'waitlist.remove', isChange: true },
    summary: 'Take somebody off the waitlist',
    description: 'A time that is held for them is free again, and goes to the next. One that they took stays theirs.',
    responses: {
      200: { description: 'The entry as it is now', schema: WaitlistEntryView },
      404: { description: 'No such entry of this clinic' },
    },
    async handle({ caller: { clinicId }, params: { entryId } }, { stores }) {
      const removed = await stores.waitlist.remove(clinicId, entryId);
      if (!removed) throw new AppError('not_found', `Waitlist entry ${entryId} not found`);
      return show(removed);
    },
  }),
];

const show = (record: WaitlistRecord): Reply => ({ body: toView(record), subjects: [record.patientId] });

function toView({
  clinicId: _none,
  offeredAt,
  offers,
  createdAt,
  endedAt,
  status,
  appointmentId,
  ...row
}: WaitlistRecord): WaitlistEntryView {
  return {
    ...row,
    status,
    appointmentId: status === 'booked' ? appointmentId : null,
    offeredAt: offeredAt?.toISOString() ?? null,
    offers: offers.map((offer) => ({
      ...offer,
      startsAt: offer.startsAt.toISOString(),
      offeredAt: offer.offeredAt.toISOString(),
    })),
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}
