import { z } from 'zod';
import { offerStatuses, waitlistStatuses } from '../../domain/calendar/waitlist';
import { DateText, Flag, Id, Instant, Line, Page, TimeText } from '../primitives';

/** `POST /api/waitlist`. */
export const NewWaitlistEntry = z
  .strictObject({
    patientId: z.string().min(1).max(64),
    providerName: Line.optional().describe('Any provider if left out'),
    visitType: Line.optional(),
    earliestOn: DateText,
    latestOn: DateText,
    fromTime: TimeText.optional().describe('A visit begins then or later; left out, at any time of day'),
    untilTime: TimeText.optional().describe('A visit begins before'),
  })
  .refine(({ earliestOn, latestOn }) => latestOn >= earliestOn, {
    path: ['latestOn'],
    message: 'must not be before earliestOn',
  })
  .refine(({ fromTime, untilTime }) => fromTime === undefined || untilTime === undefined || untilTime > fromTime, {
    path: ['untilTime'],
    message: 'must be after fromTime',
  });

const WaitlistEntryStatus = z.enum(waitlistStatuses).meta({
  id: 'WaitlistEntryStatus',
  description: 'offered: a time is held for the patient, who is being called; expired: their last day is over',
});

const WaitlistOfferView = z
  .object({
    providerDisplayName: z.string(),
    startsAt: Instant,
    status: z.enum(offerStatuses).meta({
      id: 'WaitlistOfferStatus',
      description:
        'lapsed: nobody answered in time; postponed: the patient could not be called before it ended; withdrawn: staff took them off the list',
    }),
    offeredAt: Instant,
  })
  .meta({ id: 'WaitlistOffer' });

export const WaitlistEntryView = z
  .object({
    id: z.string(),
    patientId: z.string(),
    patientName: z.string(),
    phone: z.string().nullable(),
    providerName: z.string().nullable(),
    visitType: z.string(),
    earliestOn: z.string(),
    latestOn: z.string(),
    fromTime: z.string().nullable(),
    untilTime: z.string().nullable(),
    status: WaitlistEntryStatus,
    offeredAt: Instant.nullable().describe('When the visit begins that is held for the patient, or that they took'),
    appointmentId: z.string().nullable().describe('What they took'),
    offers: z.array(WaitlistOfferView).describe('The last five times that were offered to them, the newest first'),
    createdAt: Instant,
    endedAt: Instant.nullable(),
  })
  .meta({ id: 'WaitlistEntry' });
export type WaitlistEntryView = z.infer<typeof WaitlistEntryView>;

export const ListWaitlist = Page.extend({
  patientId: Id.optional(),
  status: WaitlistEntryStatus.optional(),
  open: Flag.optional().describe('true: only who waits, or is being called'),
});
