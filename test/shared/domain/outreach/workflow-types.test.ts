import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';

test('the page on the workflows has a row for each type', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/workflows.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` *\|/gm)].map(([, type]) => type);

  expect(new Set(rows)).toEqual(new Set(workflowTypeNames));
});
