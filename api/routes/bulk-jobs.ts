import { BulkJobView } from '@clinic/shared/contracts/bulk-jobs';
import { Page } from '@clinic/shared/contracts/primitives';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { shownJob, toJob } from '../bulk-jobs';
import { listRoute, mapPage } from '../http/list-route';
import { actorOf, route, type Route } from '../http/route';
import type { RouteDeps } from '../route-deps';

const tag = 'Bulk jobs';
const JobPath = z.object({ jobId: z.string() });
const unknown = { description: 'No such job of this clinic' };

/** Work on many records that goes on after the request: how far it is, and its end. */
export function bulkJobRoutes({ stores }: RouteDeps): Route[] {
  const find = async (clinicId: string, jobId: string): Promise<BulkJobView> => {
    const job = await stores.bulkJobs.find(clinicId, jobId);
    if (!job) throw new AppError('not_found', `Job ${jobId} not found`);
    return shownJob(stores, clinicId, job);
  };

  return [
    listRoute({
      path: '/bulk-jobs',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'List jobs, newest first',
      query: Page,
      item: BulkJobView,
      items: 'jobs',
      async read({ caller: { clinicId }, query }) {
        const [page, staff] = await Promise.all([stores.bulkJobs.list(clinicId, query), stores.staff.list(clinicId)]);
        const names = new Map(staff.map(({ id, name }) => [id, name]));
        return mapPage(page, (job) => toJob(job, names));
      },
    }),
    route({
      method: 'get',
      path: '/bulk-jobs/:jobId',
      access: 'clinic',
      patientData: 'none',
      tag,
      summary: 'One job: how far it is, and what it waits for',
      params: JobPath,
      responses: { 200: { description: 'The job', schema: BulkJobView }, 404: unknown },
      handle: async ({ caller, params }) => ({ body: await find(caller.clinicId, params.jobId) }),
    }),
    route({
      method: 'post',
      path: '/bulk-jobs/:jobId/stop',
      access: 'admin',
      tag,
      summary: 'Stop a job: what it has done stays, and nothing more is begun',
      params: JobPath,
      responses: {
        200: { description: 'The stopped job', schema: BulkJobView },
        404: unknown,
        409: { description: 'It has ended already' },
      },
      async handle({ caller, params: { jobId }, requestId }) {
        const isStopped = await stores.bulkJobs.stop(caller.clinicId, jobId, actorOf(caller, requestId));
        if (isStopped === false) throw new AppError('conflict', `Job ${jobId} has ended already`);
        return { body: await find(caller.clinicId, jobId) };
      },
    }),
  ];
}
