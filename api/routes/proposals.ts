import { ProposalDecision, Proposals, ProposalView } from '@clinic/shared/contracts/proposals';
import { AppError } from '@clinic/shared/errors';
import type { ProposalRecord } from '@clinic/prisma/stores/proposals';
import { z } from 'zod';
import { factsOf } from '../http/facts';
import { actorOf, ofPatientPath, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Patients';

/** What callers said whom only their number vouches for: a person decides whether it is true. */
export function proposalRoutes({ stores }: RouteDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/patients/:patientId/proposals',
      access: 'clinic',
      patientData: { action: 'patient.proposals', asksFor: ofPatientPath },
      tag,
      summary: 'What callers said who were matched with a patient by the number alone, newest first, at most a hundred',
      params: z.object({ patientId: z.string() }),
      responses: {
        200: { description: 'The proposals', schema: Proposals },
        404: { description: 'No such patient of this clinic' },
      },
      async handle({ caller: { clinicId }, params: { patientId } }) {
        const isKnown = await stores.patients.exists(clinicId, patientId);
        if (!isKnown) throw new AppError('not_found', `Patient ${patientId} not found`);
        const proposals = await stores.proposals.ofPatient(clinicId, patientId);
        return { body: { items: proposals.map(toProposal) } };
      },
    }),
    route({
      method: 'post',
      path: '/proposals/:proposalId',
      access: 'clinic',
      tag,
      summary: "Write what a caller said over the patient's record, or leave the record as it is; its task is resolved",
      description:
        'A date of birth that is on file stays: callers are verified by it. What was decided before stays so.',
      params: z.object({ proposalId: z.string() }),
      body: ProposalDecision,
      responses: {
        200: { description: 'The proposal as it was decided', schema: ProposalView },
        404: { description: 'No such proposal of this clinic' },
      },
      async handle({ caller, params: { proposalId }, body: { decision }, requestId }) {
        const decided = await stores.proposals.decide(
          caller.clinicId,
          proposalId,
          decision === 'accept' ? 'ACCEPTED' : 'DISMISSED',
          actorOf(caller, requestId),
        );
        if (!decided) throw new AppError('not_found', `Proposal ${proposalId} not found`);
        return { body: toProposal(decided) };
      },
    }),
  ];
}

const toProposal = ({ state, given, createdAt, decidedAt, ...proposal }: ProposalRecord): ProposalView => {
  const { id, patientId, callId, decidedBy } = proposal;
  return {
    id,
    patientId,
    callId,
    decidedBy,
    state: ProposalView.shape.state.parse(state),
    given: factsOf(given) ?? {},
    createdAt: createdAt.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
  };
};
