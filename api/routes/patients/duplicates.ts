import { Duplicates, FindDuplicates } from '@clinic/shared/contracts/patients/duplicates';
import { canLookUp, lookalikesOf, lookUpsOf, type PersonFacts } from '@clinic/shared/domain/patients/patient-matching';
import { readPhone } from '@clinic/shared/domain/patients/phone';
import { AppError } from '@clinic/shared/errors';
import { type Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';
import { storedCountry } from '../../clinic-country';

const routes = routesOf({ tag: 'Patients', access: 'api-key-or-clinic', right: 'patients.read' });

/** As many as a person can look through. */
const MAX_SHOWN = 10;

/** Whether somebody is on file already, or twice. */
export const duplicateRoutes = [
  routes.get('/patients/duplicates', {
    patientData: { action: 'patient.match' },
    summary: 'Who on file may be the person that is about to be registered',
    description:
      'Names in their other forms, slips of the pen and turned dates are found too, and whoever has the same phone. Those known only from a form or a call are among them. Where the fields come in the header `x-query`, no address holds them.',
    query: FindDuplicates,
    responses: { 200: { description: 'The likeliest first', schema: Duplicates } },
    async handle({ caller: { clinicId }, query: { firstName = '', lastName = '', phone, dateOfBirth } }, { stores }) {
      const country = await storedCountry(stores, clinicId);
      const asked: PersonFacts = {
        firstName,
        lastName,
        birthDate: dateOfBirth ?? null,
        phone: phone === undefined ? null : readPhone(phone, country),
        email: null,
        address: null,
        identifier: null,
      };
      const items = await alikeTo({ stores }, clinicId, asked);
      return { body: { items }, subjects: items.map(({ id }) => id) };
    },
  }),
  routes.get('/patients/:patientId/duplicates', {
    patientData: { action: 'patient.match' },
    summary: 'Who on file may be the same person as a patient',
    description:
      'Found as `GET /patients/duplicates` finds them. `POST /patients/{patientId}/merge` makes one record of two. Of a patient who was merged into another there are none.',
    responses: {
      200: { description: 'The likeliest first', schema: Duplicates },
      404: { description: 'No such patient of this clinic' },
    },
    async handle({ caller: { clinicId }, params: { patientId } }, { stores }) {
      const patient = await stores.patientRecords.find(clinicId, patientId);
      if (!patient) throw new AppError('not_found', `Patient ${patientId} not found`);
      const { firstName, lastName, birthDate, phone, email, address } = patient;
      const asked = { firstName, lastName, birthDate, phone, email, address, identifier: null };
      const found = patient.replacedBy === null ? await alikeTo({ stores }, clinicId, asked) : [];
      const items = found.filter(({ id }) => id !== patientId);
      return { body: { items }, subjects: [patientId, ...items.map(({ id }) => id)] };
    },
  }),
];

async function alikeTo({ stores }: Deps<'stores'>, clinicId: string, asked: PersonFacts) {
  const lookUps = lookUpsOf(asked);
  if (!canLookUp(lookUps)) return [];
  const found = lookalikesOf(asked, await stores.patientMatches.known(clinicId, lookUps));
  return found.slice(0, MAX_SHOWN).map(({ candidate, score, alike, similar }) => ({
    id: candidate.id,
    firstName: candidate.firstName,
    lastName: candidate.lastName,
    phone: candidate.phone,
    dateOfBirth: candidate.birthDate,
    registrationStatus: candidate.isPlaceholder ? ('ACTION_REQUIRED' as const) : ('COMPLETE' as const),
    score,
    alike,
    similar,
  }));
}
