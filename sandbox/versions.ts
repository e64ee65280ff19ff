import {
  CANCELLATION_SYSTEM,
  type CancellationReason,
  isCancellationReason,
} from '@clinic/shared/domain/calendar/cancellation-reasons';
import type { Leniency } from '@clinic/shared/domain/sandbox/leniency';
import { FHIR_JSON } from '@clinic/shared/contracts/calendar/fhir';
import { toVersioned } from '@clinic/shared/contracts/calendar/fhir-appointment';
import { AppError, invalid } from '@clinic/shared/errors';
import type { ChangeOfAppointment } from '@clinic/prisma/stores/calendar/appointments';
import type { EhrAppointment } from '@clinic/prisma/stores/calendar/ehr-appointments';
import type { FhirRequest, Reply } from '@clinic/api/http/route';
import { accountOf } from '@clinic/shared/domain/accounts/accounts';

/** Whether appointments are shown with their version, and changes noted: anyone who needs the version is shown it. */
export const showsVersions = ({
  showsNextAppointmentOnly,
  takesChangesUnseen,
  cancelsWithoutReason,
}: Leniency): boolean => !(showsNextAppointmentOnly && takesChangesUnseen && cancelsWithoutReason);

/** What a change is noted with; nothing while the sandbox is as lenient as the contract. */
export function changeOf({
  caller,
  headers,
  requestId,
  body,
}: Pick<FhirRequest, 'caller' | 'headers' | 'requestId' | 'body'>): ChangeOfAppointment {
  if (!showsVersions(caller.agenda.leniency)) return {};
  return {
    by: accountOf(caller),
    request: requestId,
    version: versionIn(headers['if-match']),
    reason: reasonIn(body) ?? undefined,
  };
}

/** The version of an `If-Match`; undefined where there is none. Throws `bad_request` for what is no version. */
export function versionIn(header: string | undefined): number | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const [, version] = /^(?:W\/)?"?(\d{1,9})"?$/.exec(header.trim()) ?? [];
  if (version !== undefined) return Number(version);
  throw new AppError('bad_request', 'If-Match must be an ETag as an appointment has it: W/"3"');
}

/** The code for which an appointment is cancelled, as Parameters or an Appointment says it; null where none of the system does. */
export function reasonIn(body: unknown): CancellationReason | null {
  const { parameter, cancelationReason } = (body ?? {}) as {
    parameter?: unknown;
    cancelationReason?: { coding?: unknown };
  };
  const named = (Array.isArray(parameter) ? parameter : []).find(
    (each: unknown) => (each as { name?: unknown } | null)?.name === 'cancelationReason',
  ) as { valueCodeableConcept?: { coding?: unknown }; valueCoding?: unknown; valueCode?: unknown } | undefined;
  const codings = [
    cancelationReason?.coding,
    named?.valueCodeableConcept?.coding,
    named?.valueCoding,
    named && { system: CANCELLATION_SYSTEM, code: named.valueCode },
  ].flat() as ({ system?: unknown; code?: unknown } | null | undefined)[];
  const coding = codings.find((each) => each?.system === CANCELLATION_SYSTEM && isCancellationReason(each.code));
  return (coding?.code as CancellationReason | undefined) ?? null;
}

/** An appointment as R4 replies with it: with its version in the body and as `ETag`. */
export const showVersion = (
  record: EhrAppointment,
  baseUrl: string,
  { status = 200, headers = {} }: Pick<Reply, 'status' | 'headers'> = {},
): Reply => ({
  status,
  body: toVersioned(record, baseUrl),
  type: `${FHIR_JSON}; charset=utf-8`,
  headers: { ...headers, etag: etagOf(record), 'last-modified': record.updatedAt.toUTCString() },
  subjects: [record.patientId],
});

export const etagOf = ({ version }: Pick<EhrAppointment, 'version'>): string => `W/"${version}"`;

/** The client's own identifier of an appointment, as it is kept: `system|value`; undefined where it has none. */
export function identifierIn(resource: unknown): string | undefined {
  const { identifier } = (resource ?? {}) as { identifier?: unknown };
  const first = (Array.isArray(identifier) ? identifier[0] : undefined) as
    | { system?: unknown; value?: unknown }
    | undefined;
  if (typeof first?.value !== 'string' || first.value === '') return undefined;
  const text = `${typeof first.system === 'string' ? first.system : ''}|${first.value}`;
  if (text.length <= 300) return text;
  throw invalid('identifier', 'is longer than 300 characters');
}
