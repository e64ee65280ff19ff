import { parseArgs } from 'node:util';
import { openDatabase } from '@clinic/prisma/client';
import { createPauseStores } from '@clinic/prisma/stores/pauses';
import { workflowTypeNames } from '@clinic/shared/domain/workflow-types';
import { withStack } from './with-stack';

const usage = `Usage:
  npm run pause -- on --reason <text> [--clinic <id> [--type <workflow type>]] [--until <ISO instant>]
  npm run pause -- off [--clinic <id>]
  npm run pause -- list

Without --clinic it is about every clinic. Calls under way go on; no call begins from the moment the command has returned.`;

const by = { actor: 'operator' };
const options = {
  clinic: { type: 'string' },
  type: { type: 'string' },
  reason: { type: 'string' },
  until: { type: 'string' },
} as const;

/** `npm run pause`: stops outreach, lets it go on, or says what is stopped. */
export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [command] = positionals;
  await withStack(
    (line) => console.error(line),
    async (dev) => {
      const database = openDatabase(dev.databaseUrl, { poolSize: 2 });
      const pauses = createPauseStores(database);
      const clinicId = values.clinic ?? null;
      try {
        if (command === 'on') await pauses.pause(toPause(values), by);
        if (command === 'off') {
          const held = (await pauses.holding(clinicId)).filter((pause) => pause.clinicId === clinicId);
          for (const { id } of held) await pauses.resume(clinicId, id, by);
        }
        if (command !== 'on' && command !== 'off' && command !== 'list') throw new Error(usage);
        console.log(JSON.stringify(await pauses.holding(clinicId), null, 2));
      } finally {
        await database.close();
      }
    },
  );
}

function toPause(given: { clinic?: string; type?: string; reason?: string; until?: string }) {
  const workflowType = workflowTypeNames.find((name) => name === given.type) ?? null;
  const until = given.until === undefined ? null : new Date(given.until);
  const isUnknownType = given.type !== undefined && (workflowType === null || given.clinic === undefined);
  if (!given.reason || isUnknownType || Number.isNaN(until?.getTime())) throw new Error(usage);
  if (until !== null && until.getTime() <= Date.now()) throw new Error('--until must be in the future.');
  return { clinicId: given.clinic ?? null, workflowType, reason: given.reason, until };
}
