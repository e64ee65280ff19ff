/** The id that a clinic's first endpoint has in the records: the one that `PUT /api/integrations/outbound` registers. */
export const FIRST_ENDPOINT = '';

/** A clinic has so many endpoints at most, the first included. */
export const MAX_ENDPOINTS = 5;

/**
 * What one sender sends, in order: the events of a subject to one endpoint, which is the clinic's first one where none is named. A
 * FHIR Subscription is subject and endpoint in one.
 */
export interface DeliveryOwner {
  clinicId: string;
  subject: string;
  endpointId?: string;
}

/** The id of the delivery of an event to an endpoint, as the database's `create_delivery` writes it: at the first one, the event's own. */
export const deliveryIdOf = (eventId: string, endpointId: string): string =>
  endpointId === FIRST_ENDPOINT ? eventId : `${eventId}-${endpointId}`;

/** Who sends what a FHIR Subscription of a sandbox hears of. */
export const senderOfSubscription = (clinicId: string, id: string): DeliveryOwner => ({
  clinicId,
  subject: id,
  endpointId: id,
});

export const isOfSubscription = ({ subject, endpointId }: DeliveryOwner): boolean => subject === endpointId;
