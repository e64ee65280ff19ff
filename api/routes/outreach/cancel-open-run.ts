import { newId } from '@clinic/shared/crypto';
import type { Run } from '@clinic/prisma/stores/outreach/runs';
import { cancelRun } from '@clinic/workflows/messages';
import type { Deps } from '../../http/route';

/** Ends an open run as a person does; false where it has ended meanwhile. */
export async function cancelOpenRun({ temporal }: Deps<'temporal'>, run: Run, actor: string): Promise<boolean> {
  // One that is stored but has not reached Temporal yet is started first: only it may end its case.
  if (!run.dispatchedAt) await temporal.startNow(run);
  const asked = await temporal.ask(run.workflowId, cancelRun, { id: newId('cancel'), args: [{ by: actor }] });
  return asked.kind === 'done';
}
