import { BundleOf, MatchIdentifier, MatchRequest, Parameters, Patient } from '@clinic/shared/contracts/fhir';
import type { MatchedPatient } from '@clinic/prisma/stores/sandbox';
import { z } from 'zod';
import { parse } from '../http/parse';
import type { Route } from '../http/route';
import { searchset } from './bundle';
import { fhirResponse, type FhirDeps, fhirRoute } from './fhir-route';
import { parameterNamed } from './parameters';

/** `POST /Patient/$match`: an exact look-up that never comes back empty. */
export function patientRoutes({ stores, baseUrl }: FhirDeps): Route[] {
  const url = `${baseUrl}/Patient`;
  return [
    fhirRoute({
      method: 'post',
      path: '/Patient/$match',
      patientData: { action: 'patient.match' },
      summary: 'Find a patient by identifier; an unknown identifier makes a fixture patient',
      body: Parameters,
      documentedBody: MatchRequest,
      responses: { 200: fhirResponse('A Bundle of the one patient', BundleOf(Patient)) },
      async handle({ caller: { clinicId }, body, log }) {
        const { valueString } = parameterNamed(body, 'identifier');
        const { valueString: identifier } = parse(z.object({ valueString: MatchIdentifier }), { valueString });
        const { patient, isNew } = await stores.sandbox.match(clinicId, identifier);
        if (isNew) log.info({ clinicId, subject: patient.id }, 'an unknown identifier made a fixture patient');
        const entries = [{ fullUrl: `${url}/${patient.id}`, resource: toPatient(patient) }];
        return {
          body: searchset({ links: { self: `${url}/$match` }, total: 1, entries }),
          subjects: [patient.id],
          observed: { isMade: isNew },
        };
      },
    }),
  ];
}

/** FHIR has no empty strings and no nulls: what is not on file is left out. */
export function toPatient({ id, firstName, lastName, birthDate, phone, email }: MatchedPatient): Patient {
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
  };
}
