import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from '@clinic/workflows/ids';

const KEYWORD = 2;

/** Makes the search attributes that our workflows use known to a namespace. Safe to run at any time. */
export async function ensureSearchAttributes(
  connection: Pick<NativeConnection, 'operatorService'>,
  namespace: string,
): Promise<void> {
  const known = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(searchAttributes).filter(({ name }) => !known.customAttributes?.[name]);
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(({ name }) => [name, KEYWORD])),
  });
}
