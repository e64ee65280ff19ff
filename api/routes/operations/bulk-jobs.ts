import { BulkJobView } from '@clinic/shared/contracts/operations/bulk-jobs';
import { Page } from '@clinic/shared/contracts/primitives';
import { AppError } from '@clinic/shared/errors';
import { shownJob, toJob } from './bulk-job';
import { mapPage } from '../../http/list-route';
import type { Deps } from '../../http/route';
import { namesOf } from '../accounts/staff-names';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Bulk jobs', access: 'clinic', right: 'workflows', patientData: 'none' });

const unknown = { description: 'No such job of this clinic' };

/** Work on many records that goes on after the request: how far it is, and its end. */
export const bulkJobRoutes = [
  routes.list('/bulk-jobs', {
    summary: 'List jobs, newest first',
    description: 'Those that are over too, with how many records were done, skipped and failed.',
    query: Page,
    item: BulkJobView,
    items: 'jobs',
    async read({ caller: { clinicId }, query }, { stores }) {
      const [page, names] = await Promise.all([stores.bulkJobs.list(clinicId, query), namesOf(stores, clinicId)]);
      return mapPage(page, (job) => toJob(job, names));
    },
  }),
  routes.get('/bulk-jobs/:jobId', {
    summary: 'One job: how far it is, and what it waits for',
    description: 'Poll it until it has `endedAt`. `waitsFor` is what it waits for now, as a receiver that fails.',
    responses: { 200: { description: 'The job', schema: BulkJobView }, 404: unknown },
    handle: async ({ caller: { clinicId }, params }, { stores }) => ({
      body: await find({ stores }, clinicId, params.jobId),
    }),
  }),
  routes.post('/bulk-jobs/:jobId/stop', {
    right: 'operations',
    summary: 'Stop a job: what it has done stays, and nothing more is begun',
    description: 'What is being done at that moment is finished. A job that is over is 409.',
    responses: {
      200: { description: 'The stopped job', schema: BulkJobView },
      404: unknown,
      409: { description: 'It has ended already' },
    },
    async handle({ caller: { clinicId }, params: { jobId }, by }, { stores }) {
      const isStopped = await stores.bulkJobs.stop(clinicId, jobId, by);
      if (isStopped === false) throw new AppError('conflict', `Job ${jobId} has ended already`);
      return { body: await find({ stores }, clinicId, jobId) };
    },
  }),
];

const find = async ({ stores }: Deps<'stores'>, clinicId: string, jobId: string): Promise<BulkJobView> => {
  const job = await stores.bulkJobs.find(clinicId, jobId);
  if (!job) throw new AppError('not_found', `Job ${jobId} not found`);
  return shownJob(stores, clinicId, job);
};
