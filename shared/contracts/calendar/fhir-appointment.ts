import type { appointmentStatuses } from '../../domain/calendar/appointment-status';
import {
  CANCELLATION_SYSTEM,
  cancellationReasons,
  isCancellationReason,
} from '../../domain/calendar/cancellation-reasons';
import type { Appointment } from './fhir';

/** What FHIR shows of an appointment. */
export interface ShownAppointment {
  id: string;
  patientId: string;
  providerName: string;
  status: (typeof appointmentStatuses)[number];
  visitType: string;
  startsAt: Date;
  endsAt: Date;
}

/** What a real EHR shows of it besides. */
export interface ShownVersion extends ShownAppointment {
  version: number;
  updatedAt: Date;
  /** The client's own, `system|value`. */
  identifier: string | null;
  /** A code of `cancellationReasons`. */
  cancellationReason: string | null;
  /** Who made this version, as the audit names them; null where nobody said. */
  changedBy: string | null;
}

/** An appointment as FHIR shows it. */
export function toAppointment(record: ShownAppointment): Appointment {
  return {
    resourceType: 'Appointment',
    id: record.id,
    status: record.status,
    start: record.startsAt.toISOString(),
    end: record.endsAt.toISOString(),
    serviceType: [{ text: record.visitType }],
    participant: [
      { actor: { reference: `Patient/${record.patientId}` }, status: 'accepted' },
      { actor: { reference: `Practitioner/${record.providerName}` }, status: 'accepted' },
    ],
  };
}

/** An appointment as a real EHR shows it: with its version, who made that, the client's identifier, and why it was cancelled. */
export function toVersioned(record: ShownVersion, baseUrl: string) {
  const { version, updatedAt, identifier, cancellationReason, changedBy } = record;
  const { resourceType, id, ...rest } = toAppointment(record);
  return {
    resourceType,
    id,
    meta: {
      versionId: String(version),
      lastUpdated: updatedAt.toISOString(),
      ...(changedBy !== null && {
        extension: [{ url: `${baseUrl}/StructureDefinition/changed-by`, valueString: changedBy }],
      }),
    },
    ...(identifier !== null && { identifier: [toIdentifier(identifier)] }),
    ...(record.status === 'cancelled' &&
      isCancellationReason(cancellationReason) && {
        cancelationReason: {
          coding: [
            { system: CANCELLATION_SYSTEM, code: cancellationReason, display: cancellationReasons[cancellationReason] },
          ],
        },
      }),
    ...rest,
  };
}

/** FHIR's Identifier of `SYSTEM|VALUE`; the system may be empty. */
export function toIdentifier(text: string) {
  const separator = text.indexOf('|');
  return { ...(separator > 0 && { system: text.slice(0, separator) }), value: text.slice(separator + 1) };
}
