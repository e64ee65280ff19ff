import { z } from 'zod';
import type { PatientNotice } from '@clinic/shared/contracts/events/clinic-notice';
import { otherWritings } from '@clinic/shared/domain/patients/phone';
import { plainName } from '@clinic/shared/domain/patients/plain-name';
import type { CallMemory, PatientThere } from './call-memory';
import { FhirFault, isRefusal } from './exchange';
import { identifier, tokenOf } from './identifiers';
import type { Resource } from '@clinic/shared/contracts/calendar/fhir-reading';
import { type Ask, createOnce, type Found, idFrom, orNull, refused, search, searchPages, unusable } from './requests';

/** A server that searches for names finds the same person several times; so many to a page. */
const CANDIDATES_A_PAGE = 20;

/** The server's id of a patient: the one we were told, the one person that it finds, or a new record. */
export async function knownPatient(
  ask: Ask,
  patient: PatientNotice,
  { mayMake, memory }: { mayMake: boolean; memory?: CallMemory },
): Promise<string> {
  const known = await findPatient(ask, patient, memory);
  if (known !== null) return known.id;
  if (!mayMake) return refused('it has no such patient, and patient.upsert is not permitted', 404, 'no_such_patient');
  const condition = `identifier=${tokenOf('patient', patient.patientId)}`;
  return idFrom(await createOnce(ask, 'Patient', patientResource(patient), condition));
}

/** The server's id of a patient; null where it has no such patient. */
export const patientThere = async (ask: Ask, patient: PatientNotice, memory: CallMemory): Promise<string | null> =>
  (await findPatient(ask, patient, memory))?.id ?? null;

/** The date of birth that the server has of a patient; null where it has none, or no such patient. */
export const birthDateThere = async (ask: Ask, patient: PatientNotice, memory: CallMemory): Promise<string | null> =>
  (await findPatient(ask, patient, memory))?.birthDate ?? null;

/** Who stands under this reference, by the name that they are told apart by. */
export async function namedPatient(ask: Ask, reference: string) {
  const { body } = await ask({ method: 'GET', path: reference, template: 'Patient/{id}' });
  const { birthDate, name = [] } = Named.safeParse(body).data ?? {};
  const named = name.find(({ family, given = [] }) => family && given.length > 0);
  if (!named) return unusable('the test patient has no first and last name there');
  return {
    externalId: reference.replace('Patient/', ''),
    firstName: named.given?.[0] ?? '',
    lastName: named.family ?? '',
    birthDate: IsoDate.safeParse(birthDate).data ?? null,
  };
}

/** The one person that the server has; null where it has nobody who could be the patient. Who was found is not looked for again. */
async function findPatient(ask: Ask, patient: PatientNotice, memory?: CallMemory): Promise<PatientThere | null> {
  const { patientId, externalId, firstName, lastName, phone, dateOfBirth } = patient;
  const key = JSON.stringify([patientId, externalId, firstName, lastName, phone, dateOfBirth]);
  const remembered = memory?.patients.get(key);
  if (remembered) return remembered;
  const found = await lookForPatient(ask, patient);
  if (found) memory?.patients.set(key, found);
  return found;
}

async function lookForPatient(ask: Ask, patient: PatientNotice): Promise<PatientThere | null> {
  const told = await recordTold(ask, patient);
  if (told?.isTheirs) return told.record;
  const birthDate = birthDateOf(patient);
  if (!patient.lastName || !patient.firstName || (birthDate === null && !patient.phone)) {
    return unusable('a patient is told apart by name and date of birth, or name and phone, and these are not known');
  }
  // R4 finds a given name that begins so, and two of them stand in one text at some servers and in two at others.
  const [given = ''] = patient.firstName.trim().split(/\s+/);
  const searchBy = (name: 'phone' | 'birthdate', value: string) =>
    searchPatients(ask, [
      ['family', patient.lastName],
      ['given', given],
      [name, value],
      ['_count', String(CANDIDATES_A_PAGE)],
    ]);
  const sameOf = ({ resources, isWhole }: Found): Resource[] => {
    if (!isWhole) return refused('it finds more patients of such a name than can be compared', 409);
    return resources.filter((record) => isSamePatient(record, patient));
  };
  const born = birthDate === null ? [] : sameOf(await searchBy('birthdate', birthDate));
  // A record without a date of birth is found by its phone alone.
  const records = born.length > 0 || !patient.phone ? born : sameOf(await searchByPhone(searchBy, patient.phone));
  if (records.some((record) => isBornOtherwise(record, birthDate)))
    return refused('it has a patient of this name and phone with another date of birth', 409);
  const same = records.flatMap(toPatientThere);
  const [only, ...others] = new Map(same.filter(({ isInUse }) => isInUse).map((each) => [each.id, each])).values();
  // Another record beside one that the clinic has set aside would be a double of it.
  if (!only && same.length > 0) return refused('it has this patient only as inactive or merged', 409);
  if (others.length > 0)
    return refused(
      `it has ${others.length + 1} patients of this name and ${born.length > 0 ? 'date of birth' : 'phone'}`,
      409,
    );
  // Another record beside one that is perhaps the patient's would be a double of it.
  if (!only && told?.isPerhapsTheirs)
    return refused('only one of name, date of birth and phone is that of the patient whose id we were told', 409);
  return only ?? null;
}

/** Records keep a phone as somebody has typed it, and servers find it by the same text alone. */
async function searchByPhone(
  searchBy: (name: 'phone', value: string) => Promise<Found>,
  phone: string,
): Promise<Found> {
  const found = await searchBy('phone', phone);
  const others = otherWritings(phone).join(',');
  if (found.resources.length > 0 || others === '') return found;
  return searchBy('phone', others).catch((error: unknown) => {
    // Not every server takes several values at once.
    if (isRefusal(error)) return found;
    throw error;
  });
}

/** The id we were told, where it is this patient's there; null where it is not, or where we were told none. */
export async function knownId(ask: Ask, patient: PatientNotice): Promise<string | null> {
  const told = await recordTold(ask, patient);
  return told?.isTheirs ? told.record.id : null;
}

interface RecordTold {
  record: PatientThere;
  isTheirs: boolean;
  isPerhapsTheirs: boolean;
}

/**
 * The record under the id that we were told. The id may be one of another system, under which this server knows somebody else, of
 * the same family even: it is the patient's where it has our identifier, or two of name, date of birth and phone are the same.
 */
async function recordTold(ask: Ask, patient: PatientNotice): Promise<RecordTold | null> {
  const { externalId } = patient;
  if (!externalId || !/^[A-Za-z0-9\-.]{1,64}$/.test(externalId)) return null;
  const asked = ask({ method: 'GET', path: `Patient/${externalId}`, template: 'Patient/{id}' });
  // An id of another platform's form is a 400 at many servers.
  const { body } = await orNull(asked, [400, 404, 410]);
  const [record] = toPatientThere(body);
  const named = Named.safeParse(body).data;
  if (!record?.isInUse || !named) return null;
  const same = [isNamed(named, patient), hasPhone(named, patient), isBornOn(named, birthDateOf(patient))].filter(
    Boolean,
  );
  const isTheirs = hasIdentifier(named, patient) || same.length >= 2;
  return { record: { ...record, id: externalId }, isTheirs, isPerhapsTheirs: same.length === 1 };
}

function toPatientThere(record: unknown): PatientThere[] {
  const named = Named.safeParse(record).data;
  if (!named) return [];
  const { id, active, link = [] } = named;
  const isInUse = active !== false && !link.some(({ type }) => type === 'replaced-by');
  return [{ id, birthDate: IsoDate.safeParse(named.birthDate).data ?? null, isInUse }];
}

/** By POST, as names in an address end up in logs; by GET only at a server that has no other way. */
async function searchPatients(ask: Ask, form: [string, string][]): Promise<Found> {
  try {
    const path = 'Patient/_search';
    return await searchPages(ask, 'Patient', { method: 'POST', path, template: path, form, isIdempotent: true });
  } catch (error) {
    if (!(error instanceof FhirFault) || ![404, 405, 501].includes(error.status ?? 0)) throw error;
    return search(ask, 'Patient', form);
  }
}

const IsoDate = z.iso.date();
const birthDateOf = ({ dateOfBirth }: PatientNotice) => IsoDate.safeParse(dateOfBirth).data ?? null;

export function patientResource(patient: PatientNotice) {
  const { patientId, firstName, lastName, phone, email, address } = patient;
  const telecom = [
    ...(phone ? [{ system: 'phone', value: phone, use: 'mobile' }] : []),
    ...(email ? [{ system: 'email', value: email }] : []),
  ];
  const birthDate = birthDateOf(patient);
  return {
    resourceType: 'Patient',
    identifier: identifier('patient', patientId),
    active: true,
    // FHIR knows no empty texts, and a new caller may not have said their name yet.
    ...((lastName || firstName) && {
      name: [{ use: 'official', ...(lastName && { family: lastName }), ...(firstName && { given: [firstName] }) }],
    }),
    ...(telecom.length > 0 && { telecom }),
    ...(birthDate !== null && { birthDate }),
    ...(address && { address: [{ text: address }] }),
  };
}

const Named = z.object({
  id: z.string(),
  identifier: z
    .array(z.object({ system: z.string().optional(), value: z.string().optional() }))
    .optional()
    .catch(undefined),
  active: z.boolean().optional().catch(undefined),
  link: z
    .array(z.object({ type: z.string().optional() }))
    .optional()
    .catch(undefined),
  name: z
    .array(z.object({ family: z.string().optional(), given: z.array(z.string()).optional() }))
    .optional()
    .catch(undefined),
  birthDate: z.string().optional().catch(undefined),
  telecom: z
    .array(z.object({ system: z.string().optional(), value: z.string().optional() }))
    .optional()
    .catch(undefined),
});

/**
 * Whether a record that a search has found has the name of the patient, and the date of birth or the phone. Servers search by the
 * beginning of a name and by its sound.
 */
function isSamePatient(found: unknown, patient: PatientNotice): boolean {
  const record = Named.safeParse(found).data;
  if (!record) return false;
  return isNamed(record, patient) && (isBornOn(record, birthDateOf(patient)) || hasPhone(record, patient));
}

/** Whether a record says another date of birth, which may be a year alone: families share names and phones. */
function isBornOtherwise(found: unknown, birthDate: string | null): boolean {
  const there = Named.safeParse(found).data?.birthDate ?? '';
  return birthDate !== null && !birthDate.startsWith(there);
}

type NamedRecord = z.infer<typeof Named>;

const isNamed = ({ name = [] }: NamedRecord, { firstName, lastName }: PatientNotice): boolean =>
  name.some(
    ({ family, given = [] }) =>
      plainName(family) === plainName(lastName) &&
      [given[0], given.join(' ')].some((each) => plainName(each) === plainName(firstName)),
  );

const isBornOn = (record: NamedRecord, birthDate: string | null): boolean =>
  birthDate !== null && record.birthDate === birthDate;

const hasIdentifier = (record: NamedRecord, { patientId }: PatientNotice): boolean =>
  (record.identifier ?? []).some(({ system, value }) => `${system}|${value}` === tokenOf('patient', patientId));

const hasPhone = ({ telecom = [] }: NamedRecord, { phone }: PatientNotice): boolean =>
  Boolean(phone) && telecom.some(({ value }) => lastDigits(value) === lastDigits(phone));

/** Phones are written in many ways; their last nine digits are the same in all. */
const lastDigits = (phone: string | null | undefined) => (phone ?? '').replaceAll(/\D/g, '').slice(-9);
