import { writeWorkflowBundle } from './workflow-bundle';

/** `node --import tsx worker/bundle-main.ts FILE`: what a worker loads that is given `WORKFLOW_BUNDLE=FILE`. */
const [file] = process.argv.slice(2);
if (!file) throw new Error('Usage: node --import tsx worker/bundle-main.ts FILE');
writeWorkflowBundle(file).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
