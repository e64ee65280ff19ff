import { writeFile } from 'node:fs/promises';
import { failureConverterPath } from '@clinic/temporal/payload-codec';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/**
 * Writes the code of all workflows, with what they import, to one file, which any number of workers load. Without such a
 * file each worker bundles the workflows at its start, which takes seconds of a whole core.
 */
export async function writeWorkflowBundle(file: string): Promise<void> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('@clinic/workflows/index'),
    failureConverterPath,
    logger: new DefaultLogger('ERROR'),
  });
  await writeFile(file, code);
}
