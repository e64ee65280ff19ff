import { MergePreviewView, MergeQuery, NewMerge, PatientMergeView } from '@clinic/shared/contracts/patients/merges';
import { undoUntil } from '@clinic/shared/domain/patients/patient-merge';
import { AppError, invalid } from '@clinic/shared/errors';
import type { MergeRecord } from '@clinic/prisma/stores/patients/patient-merges';
import { staffNames } from '../accounts/staff-names';
import { routesOf } from '../../http/routes-of';
import { toCounts } from './patient-data';

const routes = routesOf({ tag: 'Patients', access: 'api-key-or-clinic', right: 'patients' });

const unknown = { description: 'No such patient of this clinic' };
const refused = {
  description:
    'One of the two was merged already, is under a legal hold, is being erased or is on the phone, or both wait for the same visit',
};

/** Two records of one person. */
export const mergeRoutes = [
  routes.get('/patients/:patientId/merge', {
    summary: 'What merging another patient into this one would move',
    description: 'Changes nothing, and is refused where the merge would be.',
    patientData: { action: 'patient.match' },
    query: MergeQuery,
    responses: { 200: { description: 'What moves', schema: MergePreviewView }, 404: unknown, 409: refused },
    async handle({ caller: { clinicId }, params: { patientId: keptId }, query: { replaced: replacedId } }, { stores }) {
      refuseSame(keptId, replacedId);
      const { moves, openRuns } = await stores.patientMerges.preview({ clinicId, keptId, replacedId });
      return { body: { moves: toCounts(moves), openWorkflows: openRuns }, subjects: [keptId, replacedId] };
    },
  }),
  routes.post('/patients/:patientId/merge', {
    summary: 'Merge another patient into this one: everything that is recorded about the other one moves here',
    description:
      'For 24 hours it can be undone. The record of the one who is replaced stays and leads here; nobody finds it by a search. ' +
      'A refusal to be contacted, and a number that is not to be called, hold for both from now on. The same merge again changes nothing.',
    body: NewMerge,
    responses: { 200: { description: 'The merge', schema: PatientMergeView }, 404: unknown, 409: refused },
    async handle({ caller: { clinicId }, params: { patientId: keptId }, body, by }, { stores }) {
      const { replaced: replacedId, take } = body;
      refuseSame(keptId, replacedId);
      const merge = await stores.patientMerges.merge({ clinicId, keptId, replacedId, take }, by);
      return { body: toMerge(merge, await staffNames(stores, clinicId)) };
    },
  }),
  routes.post('/patient-merges/:mergeId/undo', {
    summary: 'Undo a merge within 24 hours: what it moved goes back',
    description:
      'What has been recorded since stays with the patient who was kept, and so does what was changed since. Numbers that are not to be called stay so for both. Undone again it changes nothing.',
    responses: {
      200: { description: 'The merge, undone', schema: PatientMergeView },
      404: { description: 'No such merge of this clinic' },
      409: {
        description: 'It is too late, or one of the two is under a legal hold, is being erased or is on the phone',
      },
    },
    async handle({ caller: { clinicId }, params: { mergeId }, by }, { stores }) {
      const undone = await stores.patientMerges.undo(clinicId, mergeId, by);
      if (!undone) throw new AppError('not_found', `Merge ${mergeId} not found`);
      return { body: toMerge(undone, await staffNames(stores, clinicId)) };
    },
  }),
];

function refuseSame(keptId: string, replacedId: string): void {
  if (keptId === replacedId) throw invalid('replaced', 'must be another patient than the one who is kept');
}

export const toMerge = (
  { id, keptId, replacedId, mergedBy, mergedAt, undoneAt, taken, moved }: MergeRecord,
  names: ReadonlyMap<string, string>,
): PatientMergeView => ({
  id,
  keptId,
  replacedId,
  mergedBy,
  mergedByName: names.get(mergedBy) ?? null,
  mergedAt: mergedAt.toISOString(),
  undoUntil: undoUntil(mergedAt).toISOString(),
  undoneAt: undoneAt?.toISOString() ?? null,
  taken,
  moved: Object.entries(moved).map(([records, ids]) => ({ records, count: ids.length })),
});
