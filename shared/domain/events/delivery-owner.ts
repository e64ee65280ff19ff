/** A clinic has so many endpoints at most, the first included. */
export const MAX_ENDPOINTS = 5;

/** The events of a subject, as who tells of it knows them: the clinic's first endpoint is told by the story itself. */
export interface Announcement {
  clinicId: string;
  subject: string;
}

/** What one sender sends, in order: the events of a subject to one receiver. */
export interface ToReceiver extends Announcement {
  receiverId: string;
}

/** What is owed to the clinic's first endpoint, or to a receiver by its id. */
export type DeliveryOwner = Announcement | ToReceiver;
