import { Command, Option } from 'commander';
import type { PauseRecord } from '@clinic/prisma/stores/outreach/pauses';
import { type WorkflowType, workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';
import { type CommandLine, type CommandResult, instant, operator, type Records, requireClinic } from './command-line';

interface PauseOptions {
  clinic?: string;
  type?: WorkflowType;
  reason: string;
  until?: Date;
}

interface EndOptions {
  id?: string;
  clinic?: string;
  type?: WorkflowType;
  all: boolean;
}

/** Stops outreach for every clinic or for one, lets it go on, or says what is stopped. */
export function pauseCommands(line: CommandLine): Command {
  const pause = new Command('pause').description('stops outreach: calls under way go on, and no call begins');
  const typed = line.context.typedAs('pause');
  pause
    .command('on')
    .requiredOption('--reason <text>')
    .option('--clinic <id>', 'every clinic unless given')
    .addOption(
      new Option('--type <workflow type>', 'of the clinic; every type unless given').choices(workflowTypeNames),
    )
    .option('--until <instant>', 'until somebody ends it unless given', instant)
    .action(line.onRecords((records, options: PauseOptions) => begin(records, options, typed)));
  pause
    .command('off')
    .description(
      'ends the pause that was set with the same options, and prints what it ended and what is still in force; without options the pause of everything, and no pause of a single clinic',
    )
    .addOption(new Option('--id <pause>', 'one pause, by its id').conflicts(['clinic', 'type', 'all']))
    .option('--clinic <id>', 'whose pause ends; that of everything unless given')
    .addOption(
      new Option('--type <workflow type>', 'of the clinic; the pause of all its types unless given').choices(
        workflowTypeNames,
      ),
    )
    .addOption(new Option('--all', 'every pause of the clinic, of whatever type').default(false).conflicts('type'))
    .action(line.onRecords((records, options: EndOptions) => end(records, options, typed)));
  pause
    .command('list')
    .description('what is in force, and the command that ends it')
    .option('--clinic <id>')
    .action(
      line.onRecords(async (records, { clinic }: { clinic?: string }) => ({
        shown: await inForce(records, clinic, typed),
      })),
    );
  return pause;
}

async function begin(
  records: Records,
  { clinic, type, reason, until }: PauseOptions,
  typed: string,
): Promise<CommandResult> {
  if (type !== undefined && clinic === undefined) throw new Error('--type needs --clinic.');
  if (until !== undefined && until.getTime() <= Date.now()) throw new Error('--until must be in the future.');
  if (clinic !== undefined) await requireClinic(records.stores, clinic);
  const pause = { clinicId: clinic ?? null, workflowType: type ?? null, reason, until: until ?? null };
  await records.stores.pauses.pause(pause, operator);
  return { shown: await inForce(records, clinic, typed) };
}

/** Says what it ended, and what still holds: for a clinic the pause of every clinic too, and all there is where it ended none. */
async function end(records: Records, { id, clinic, type, all }: EndOptions, typed: string): Promise<CommandResult> {
  const { pauses } = records.stores;
  if ((type !== undefined || all) && clinic === undefined) throw new Error(`--${all ? 'all' : 'type'} needs --clinic.`);
  if (clinic !== undefined) await requireClinic(records.stores, clinic);
  const clinicId = clinic ?? null;
  const ended: PauseRecord[] = [];
  const isMeant = (pause: PauseRecord) =>
    id === undefined ? pause.clinicId === clinicId && (all || pause.workflowType === (type ?? null)) : pause.id === id;
  for (const pause of await pauses.holding(clinicId)) {
    if (isMeant(pause) && (await pauses.resume(pause.clinicId, pause.id, operator))) ended.push(pause);
  }
  if (ended.length > 0) return { shown: { ended, inForce: await inForce(records, clinic, typed) } };
  const ofClinic = `of ${clinic}${all ? '' : ` for ${type ?? 'all its types'}`}`;
  const of = id ?? (clinic === undefined ? 'of every clinic' : ofClinic);
  return { shown: { ended, note: `There is no pause ${of}.`, inForce: await inForce(records, undefined, typed) } };
}

/** What holds now, with the name of its clinic and the command that ends it. */
async function inForce({ stores }: Records, clinic: string | undefined, typed: string): Promise<object[]> {
  const shown = [];
  for (const pause of await stores.pauses.holding(clinic ?? null)) {
    const { id, clinicId } = pause;
    const named = clinicId === null ? null : await stores.clinics.find(clinicId);
    shown.push({ clinicName: named?.name ?? null, ...pause, endedBy: `${typed} off --id ${id}` });
  }
  return shown;
}
