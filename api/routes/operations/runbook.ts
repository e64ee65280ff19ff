import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@clinic/shared/errors';
import { z } from 'zod';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Operations', access: 'operator', right: null, patientData: 'none' });

/** Seen from where the service was started. */
const RUNBOOK = join('docs', 'operate.md');

/** What the page of all clinics refers to. */
export const runbookRoutes = [
  routes.get('/operations/runbook', {
    summary: 'The runbook of those who run the service',
    description: 'docs/operate.md as this release came with it: what each figure means, and what to do.',
    responses: {
      200: { description: 'Markdown', schema: z.string(), type: 'text/plain', example: '## Alarms' },
      404: { description: 'This deployment came without it' },
    },
    async handle() {
      const text = await readFile(RUNBOOK, 'utf8').catch(() => null);
      if (text === null) throw new AppError('not_found', 'This deployment came without docs/operate.md');
      return { body: text, type: 'text/plain; charset=utf-8' };
    },
  }),
];
