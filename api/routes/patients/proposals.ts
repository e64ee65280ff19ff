import { ProposalDecision, Proposals, ProposalView } from '@clinic/shared/contracts/patients/proposals';
import { fieldsOf } from '@clinic/shared/domain/json';
import { AppError } from '@clinic/shared/errors';
import type { ProposalRecord } from '@clinic/prisma/stores/patients/proposals';
import { ofPatientPath } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Patients', access: 'clinic', right: 'patients' });

/** What callers said whom only their number vouches for: a person decides whether it is true. */
export const proposalRoutes = [
  routes.get('/patients/:patientId/proposals', {
    right: 'patients.read',
    patientData: { action: 'patient.proposals', asksFor: ofPatientPath },
    summary: 'What callers said who were matched with a patient by the number alone, newest first, at most a hundred',
    description: 'They change nothing until somebody decides at `POST /proposals/{proposalId}`.',
    responses: {
      200: { description: 'The proposals', schema: Proposals },
      404: { description: 'No such patient of this clinic' },
    },
    async handle({ caller: { clinicId }, params: { patientId } }, { stores }) {
      const isKnown = await stores.patients.exists(clinicId, patientId);
      if (!isKnown) throw new AppError('not_found', `Patient ${patientId} not found`);
      const proposals = await stores.proposals.ofPatient(clinicId, patientId);
      return { body: { items: proposals.map(toProposal) } };
    },
  }),
  routes.post('/proposals/:proposalId', {
    summary: "Write what a caller said over the patient's record, or leave the record as it is; its task is resolved",
    description: 'A date of birth that is on file stays: callers are verified by it. What was decided before stays so.',
    body: ProposalDecision,
    responses: {
      200: { description: 'The proposal as it was decided', schema: ProposalView },
      404: { description: 'No such proposal of this clinic' },
    },
    async handle({ caller: { clinicId }, params: { proposalId }, body: { decision }, by }, { stores }) {
      const decided = await stores.proposals.decide(
        clinicId,
        proposalId,
        decision === 'accept' ? 'ACCEPTED' : 'DISMISSED',
        by,
      );
      if (!decided) throw new AppError('not_found', `Proposal ${proposalId} not found`);
      return { body: toProposal(decided) };
    },
  }),
];

const toProposal = ({ state, given, createdAt, decidedAt, ...proposal }: ProposalRecord): ProposalView => {
  const { id, patientId, callId, decidedBy } = proposal;
  return {
    id,
    patientId,
    callId,
    decidedBy,
    state: ProposalView.shape.state.parse(state),
    given: fieldsOf(given),
    createdAt: createdAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
  };
};
