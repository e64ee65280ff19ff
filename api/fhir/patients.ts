import { BundleOf, MatchIdentifier, MatchRequest, Parameters, Patient } from '@clinic/shared/contracts/calendar/fhir';
import type { MatchedPatient } from '@clinic/prisma/stores/sandbox/sandbox';
import { z } from 'zod';
import { parse } from '@clinic/shared/contracts/parse';
import { communicationIn } from '@clinic/shared/domain/patients/languages';
import { searchset } from '@clinic/shared/contracts/calendar/bundle';
import { fhir, fhirResponse } from './fhir-route';
import { parameterNamed } from '@clinic/shared/contracts/calendar/parameters';

/** `POST /Patient/$match`: an exact look-up that never comes back empty. */
export const patientRoutes = [
  fhir.post('/Patient/$match', {
    right: 'patients.read',
    patientData: { action: 'patient.match' },
    summary: 'Find a patient by identifier; an unknown identifier makes a fixture patient',
    description:
      'One patient for one identifier, however many ask at once. A real EHR does not make people up: switch that rule off, and an unknown identifier finds nobody (`total` 0). Matching by name, birth date, phone and address, with a grade, is switched on the same way.',
    body: Parameters,
    documentedBody: MatchRequest,
    responses: { 200: fhirResponse('A Bundle of the one patient', BundleOf(Patient)) },
    async handle({ caller: { clinicId }, body, log }, { stores, baseUrl }) {
      const url = `${baseUrl}/Patient`;
      const { valueString } = parameterNamed(body, 'identifier');
      const { valueString: identifier } = parse(z.object({ valueString: MatchIdentifier }), { valueString });
      const { patient, isNew, isMade } = await stores.sandbox.match(clinicId, identifier);
      if (isNew) log.info({ clinicId, subject: patient.id }, 'an unknown identifier made a fixture patient');
      const entries = [{ fullUrl: `${url}/${patient.id}`, resource: toPatient(patient) }];
      return {
        body: searchset({ links: { self: `${url}/$match` }, total: 1, entries }),
        subjects: [patient.id],
        facts: { isMade },
      };
    },
  }),
];

/** FHIR has no empty strings and no nulls: what is not on file is left out. */
export function toPatient({
  id,
  firstName,
  lastName,
  birthDate,
  phone,
  email,
  replaces = [],
  preferredLanguage,
}: MatchedPatient): Patient {
  const name = { ...(lastName && { family: lastName }), ...(firstName && { given: [firstName] }) };
  const telecom = [
    ...(phone ? [{ system: 'phone' as const, value: phone }] : []),
    ...(email ? [{ system: 'email' as const, value: email }] : []),
  ];
  return {
    resourceType: 'Patient',
    id,
    ...(Object.keys(name).length > 0 && { name: [name] }),
    ...(birthDate && { birthDate }),
    ...(telecom.length > 0 && { telecom }),
    ...(replaces.length > 0 && {
      link: replaces.map((other) => ({ other: { reference: `Patient/${other}` }, type: 'replaces' as const })),
    }),
    ...(preferredLanguage && { communication: [communicationIn(preferredLanguage)] }),
  };
}
