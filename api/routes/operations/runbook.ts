import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Operations', access: 'operator', right: null, patientData: 'none' });

/** Seen from where the service was started. */
const DOCS = 'docs';

const RunbookPage = z.strictObject({
  page: z
    .string()
    .regex(/^[a-z-]+$/)
    .default('operate')
    .describe('The name of a page of docs/, as links of the runbook have it'),
});

/** What the page of all clinics refers to. */
export const runbookRoutes = [
  routes.get('/operations/runbook', {
    summary: 'The runbook of those who run the service',
    description:
      'docs/operate.md as this release came with it: what each figure means, and what to do; or a page that it refers to.',
    query: RunbookPage,
    responses: {
      200: { description: 'Markdown', schema: z.string(), type: 'text/plain', example: '## Alarms' },
      404: { description: 'This deployment came without it' },
    },
    async handle({ query: { page } }) {
      const path = join(DOCS, `${page}.md`);
      const text = await readFile(path, 'utf8').catch(() => null);
      if (text === null) throw new AppError('not_found', `This deployment came without ${path}`);
      return { body: text, type: 'text/plain; charset=utf-8' };
    },
  }),
];
