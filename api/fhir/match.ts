import { MatchIdentifier, type Parameters } from '@clinic/shared/contracts/calendar/fhir';
import { isDate } from '@clinic/shared/domain/calendar/clinic-time';
import {
  canLookUp,
  type Graded,
  gradeCandidates,
  lookUpsOf,
  type PersonFacts,
} from '@clinic/shared/domain/patients/patient-matching';
import { readPhone } from '@clinic/shared/domain/patients/phone';
import type { MatchCandidate } from '@clinic/prisma/stores/patients/patient-matches';
import { z } from 'zod';
import { parse } from '@clinic/shared/contracts/parse';
import type { FhirRequest, Reply } from '../http/route';
import { searchset } from '@clinic/shared/contracts/calendar/bundle';
import { fhirType, type FhirDeps } from './fhir-route';
import { refuse } from '@clinic/shared/contracts/calendar/outcome';
import { parameterNamed } from '@clinic/shared/contracts/calendar/parameters';
import { toPatient } from './patients';
import { storedCountry } from '../clinic-country';

/** As many candidates as a person can look through. */
const COUNT = 10;
const MAX_COUNT = 100;
const GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade';

const Text = z.string().max(200);

/** `resource` of `$match`: what is said of a patient. Elements that mean nothing here are ignored. */
const AskedPatient = z.looseObject({
  resourceType: z.literal('Patient', { error: 'must be Patient' }),
  identifier: z
    .array(z.looseObject({ value: MatchIdentifier.optional() }))
    .max(20)
    .optional(),
  name: z
    .array(z.looseObject({ family: Text.optional(), given: z.array(Text).max(10).optional(), text: Text.optional() }))
    .max(20)
    .optional(),
  birthDate: z.string().refine(isDate, 'must be a date, as 1986-04-12').optional(),
  telecom: z
    .array(z.looseObject({ system: z.string().max(20).optional(), value: Text.optional() }))
    .max(20)
    .optional(),
  address: z
    .array(
      z.looseObject({
        text: z.string().max(500).optional(),
        line: z.array(Text).max(10).optional(),
        city: Text.optional(),
        state: Text.optional(),
        postalCode: Text.optional(),
      }),
    )
    .max(20)
    .optional(),
});

const MatchOptions = z.object({
  count: z.int().min(0, 'must be 0 or more').optional(),
  onlyCertainMatches: z.boolean().optional(),
});

/** `$match` without one of its lenient rules; null where the contract's own will do. */
export async function matchPatients(request: FhirRequest, deps: FhirDeps): Promise<Reply | null> {
  const { caller, body } = request;
  const { createsUnknownPatients, matchesIdentifiersOnly } = caller.agenda.leniency;
  const { parameter } = body as Parameters;
  const asksForPerson = !matchesIdentifiersOnly && parameter.some(({ name }) => name === 'resource');
  if (asksForPerson) return matchPerson(request, deps);
  if (createsUnknownPatients) return null;

  const { valueString } = parameterNamed(body as Parameters, 'identifier');
  const { valueString: identifier } = parse(z.object({ valueString: MatchIdentifier }), { valueString });
  const found = await deps.stores.patientMatches.identified(caller.clinicId, identifier);
  return replyOf(found ? [{ candidate: found, grade: null, score: null }] : [], deps);
}

async function matchPerson({ caller: { clinicId }, body }: FhirRequest, deps: FhirDeps): Promise<Reply> {
  const { stores } = deps;
  const { resource } = parameterNamed(body as Parameters, 'resource');
  const valueOf = (wanted: string, element: string) =>
    (body as Parameters).parameter.find(({ name }) => name === wanted)?.[element];
  const { count = COUNT, onlyCertainMatches = false } = parse(MatchOptions, {
    count: valueOf('count', 'valueInteger'),
    onlyCertainMatches: valueOf('onlyCertainMatches', 'valueBoolean'),
  });
  const country = await storedCountry(stores, clinicId);
  const asked = factsIn(parse(AskedPatient, resource), country);
  const lookUps = lookUpsOf(asked);
  if (!canLookUp(lookUps)) {
    return refuse(
      'not_enough_to_match',
      'Send a birthDate, a phone, an identifier, or a name with given and family: nobody is looked up by less',
      { paths: ['Patient'] },
    );
  }
  const graded = gradeCandidates(asked, await stores.patientMatches.candidates(clinicId, lookUps));
  const wanted = onlyCertainMatches ? graded.filter(({ grade }) => grade === 'certain') : graded;
  return replyOf(wanted.slice(0, Math.min(count, MAX_COUNT)), deps);
}

function replyOf(
  graded: (Graded<MatchCandidate> | { candidate: MatchCandidate; grade: null; score: null })[],
  { baseUrl }: Pick<FhirDeps, 'baseUrl'>,
): Reply {
  const url = `${baseUrl}/Patient`;
  const entries = graded.map(({ candidate, grade, score }) => {
    const { address, identifier } = candidate;
    const resource = {
      ...toPatient(candidate),
      ...(grade !== null && identifier && { identifier: [{ value: identifier }] }),
      ...(grade !== null && address && { address: [{ text: address }] }),
    };
    const search = grade !== null && { mode: 'match', score, extension: [{ url: GRADE, valueCode: grade }] };
    return { fullUrl: `${url}/${candidate.id}`, resource, ...(search && { search }) };
  });
  return {
    body: searchset({ links: { self: `${url}/$match` }, total: entries.length, entries }),
    type: fhirType,
    subjects: graded.map(({ candidate }) => candidate.id),
    facts: { isMade: false },
  };
}

/** Of several names, phones and addresses the first is taken: that is the one in use. */
function factsIn(patient: z.output<typeof AskedPatient>, country: string): PersonFacts {
  const [name] = patient.name ?? [];
  const words = name?.text?.trim().split(/\s+/) ?? [];
  const contact = (system: string) => patient.telecom?.find((each) => each.system === system)?.value;
  const [address] = patient.address ?? [];
  const written = address
    ? (address.text ??
      [address.line, address.city, address.state, address.postalCode].flat().filter(Boolean).join(', '))
    : '';
  const phone = contact('phone');
  return {
    firstName: name?.given?.[0] ?? (words.length > 1 ? (words[0] ?? '') : ''),
    lastName: name?.family ?? (words.length > 1 ? (words.at(-1) ?? '') : ''),
    birthDate: patient.birthDate ?? null,
    phone: phone === undefined ? null : readPhone(phone, country),
    email: contact('email') ?? null,
    address: written || null,
    identifier: patient.identifier?.find(({ value }) => value !== undefined)?.value ?? null,
  };
}
