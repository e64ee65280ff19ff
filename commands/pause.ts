import { Command, Option } from 'commander';
import type { PauseRecord } from '@clinic/prisma/stores/outreach/pauses';
import { type WorkflowType, workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { type CommandLine, type CommandResult, instant, operator, type Records } from './command-line';

interface PauseOptions {
  clinic?: string;
  type?: WorkflowType;
  reason: string;
  until?: Date;
}

/** Stops outreach for every clinic or for one, lets it go on, or says what is stopped. */
export function pauseCommands(line: CommandLine): Command {
  const pause = new Command('pause').description('stops outreach: calls under way go on, and no call begins');
  pause
    .command('on')
    .requiredOption('--reason <text>')
    .option('--clinic <id>', 'every clinic unless given')
    .addOption(
      new Option('--type <workflow type>', 'of the clinic; every type unless given').choices(workflowTypeNames),
    )
    .option('--until <instant>', 'until somebody ends it unless given', instant)
    .action(line.onRecords(begin));
  pause
    .command('off')
    .description('ends what holds, and prints what it ended and what is still in force')
    .option('--clinic <id>', 'the pause of every clinic unless given')
    .action(line.onRecords(end));
  pause.command('list').option('--clinic <id>').action(line.onRecords(holding));
  return pause;
}

async function begin(records: Records, { clinic, type, reason, until }: PauseOptions): Promise<CommandResult> {
  if (type !== undefined && clinic === undefined) throw new Error('--type needs --clinic.');
  if (until !== undefined && until.getTime() <= Date.now()) throw new Error('--until must be in the future.');
  const pause = { clinicId: clinic ?? null, workflowType: type ?? null, reason, until: until ?? null };
  await records.stores.pauses.pause(pause, operator);
  return holding(records, { clinic });
}

/** Says what it ended, and what still holds: for a clinic the pause of every clinic too. */
async function end({ stores: { pauses } }: Records, { clinic }: { clinic?: string }): Promise<CommandResult> {
  const clinicId = clinic ?? null;
  const ended: PauseRecord[] = [];
  for (const pause of await pauses.holding(clinicId)) {
    if (pause.clinicId === clinicId && (await pauses.resume(clinicId, pause.id, operator))) ended.push(pause);
  }
  return { shown: { ended, inForce: await pauses.holding(clinicId) } };
}

const holding = async ({ stores }: Records, { clinic }: { clinic?: string | undefined }): Promise<CommandResult> => ({
  shown: await stores.pauses.holding(clinic ?? null),
});
