import { Command, Option } from 'commander';
import { accountsOf } from '@clinic/accounts/seed';
import type { NewAccountLink } from '@clinic/prisma/stores/accounts/account-links';
import { type Role, roles } from '@clinic/shared/domain/accounts/accounts';
import { createLog } from '@clinic/shared/log';
import {
  type CommandLine,
  type CommandResult,
  emailAddress,
  operator,
  type Records,
  requireClinic,
  wholeNumber,
} from './command-line';

interface OfAccount {
  email: string;
}

/** Manages the accounts of a clinic as its administrators do, for when none of them can, and those of operators, who belong to none. */
export function accountCommands(line: CommandLine): Command {
  const account = new Command('account').description('manages the accounts of a clinic, and those of operators');
  account.command('list').option('--clinic <id>').addOption(ofOperators()).action(line.onRecords(list));
  account
    .command('add')
    .description('prints a link by which the person makes their account within 72 hours, once; nothing is mailed')
    .option('--clinic <id>')
    .addOption(ofOperators())
    .requiredOption('--email <e-mail>', 'of the person', emailAddress)
    .addOption(new Option('--role <role>').choices(roles).default('staff'))
    .action(line.onRecords(invite));
  const ofOne = (name: string, work: (records: Records, options: OfAccount) => Promise<CommandResult>) =>
    account
      .command(name)
      .requiredOption('--email <e-mail>', 'of the account', emailAddress)
      .action(line.onRecords(work));
  ofOne('disable', (records, options) => setDisabled(records, options, true));
  ofOne('enable', (records, options) => setDisabled(records, options, false));
  ofOne('reset', reset).description('prints a link by which the person sets a new password; nothing is mailed');
  ofOne('remove-second-factor', removeSecondFactor);
  account
    .command('second-factor')
    .description('whether the clinic requires one of everybody; who has none sets one up at the next sign-in')
    .requiredOption('--clinic <id>')
    .addOption(new Option('--required <answer>').choices(['yes', 'no']).makeOptionMandatory())
    .action(line.onClinic(requireSecondFactor));
  return account;
}

/** An administrator's account of a clinic that ends by itself; the clinic's administrators get a task. */
export const emergencyCommand = (line: CommandLine): Command =>
  new Command('emergency')
    .description('makes an administrator’s account that ends by itself, and prints its password')
    .requiredOption('--clinic <id>')
    .requiredOption('--reason <why>', 'why access is needed')
    .option('--minutes <n>', 'how long it lasts, 1 to 240', wholeNumber({ from: 1, to: 240 }), 30)
    .action(line.onRecords(beginEmergency));

/** Whose accounts are meant. */
interface Owner {
  clinic?: string;
  operator?: true;
}

const ofOperators = () => new Option('--operator', 'of the service, for all clinics').conflicts(['clinic', 'role']);

/** Null for operators. */
async function ownerOf({ stores }: Records, { clinic, operator: isOperator }: Owner): Promise<string | null> {
  if (isOperator) return null;
  if (clinic === undefined) throw new Error('--clinic or --operator must be given.');
  await requireClinic(stores, clinic);
  return clinic;
}

async function list(records: Records, owner: Owner): Promise<CommandResult> {
  const accounts = (await records.stores.staff.accounts(await ownerOf(records, owner))).map(
    ({ id, name, email, role, disabledAt, endsAt }) => ({
      id,
      name,
      email,
      role,
      disabledAt,
      endsAt,
    }),
  );
  return { shown: { accounts } };
}

async function invite(
  records: Records,
  { email, role, ...owner }: Owner & { email: string; role: Role },
): Promise<CommandResult> {
  const clinicId = await ownerOf(records, owner);
  const { accountLinks } = records.stores;
  const invited = clinicId === null ? ({ clinicId, email, role: 'operator' } as const) : { clinicId, email, role };
  return shownLink(await accountLinks.invite(invited, operator), records.config.PUBLIC_URL);
}

async function reset(records: Records, options: OfAccount): Promise<CommandResult> {
  const account = await accountOf(records, options);
  const link = await records.stores.accountLinks.reset(account, operator);
  if (!link) throw new Error(`There is no account ${account.id}.`);
  return shownLink(link, records.config.PUBLIC_URL);
}

const shownLink = ({ id, email, token, expiresAt }: NewAccountLink, publicUrl: string): CommandResult => ({
  shown: { id, email, link: `${publicUrl}/set-password#${token}`, expiresAt: expiresAt.toISOString() },
});

async function setDisabled(records: Records, options: OfAccount, isDisabled: boolean): Promise<CommandResult> {
  const account = await accountOf(records, options);
  const { staff } = records.stores;
  await (isDisabled ? staff.disable(account, operator) : staff.enable(account, operator));
  return { shown: { accountId: account.id, done: isDisabled ? 'disable' : 'enable' } };
}

async function removeSecondFactor(records: Records, options: OfAccount): Promise<CommandResult> {
  const { clinicId, id: accountId } = await accountOf(records, options);
  await accountsIn(records).secondFactors.removeAll({ clinicId, accountId }, operator);
  return { shown: { accountId, done: 'remove-second-factor' } };
}

async function requireSecondFactor(
  { stores }: Records,
  { clinic: clinicId, required }: { clinic: string; required: 'yes' | 'no' },
): Promise<CommandResult> {
  const isRequired = required === 'yes';
  await stores.staff.requireSecondFactor({ clinicId, isRequired }, operator);
  return { shown: { clinicId, isSecondFactorRequired: isRequired } };
}

async function beginEmergency(
  records: Records,
  { clinic: clinicId, ...options }: { clinic: string; reason: string; minutes: number },
): Promise<CommandResult> {
  const reason = options.reason.trim();
  if (reason.length < 10) throw new Error('--reason must say in some words why access is needed.');
  await requireClinic(records.stores, clinicId);
  const begun = await accountsIn(records).beginEmergency({ clinicId, reason, minutes: options.minutes });
  const log = createLog({ process: 'clinic', level: 'info', output: 'stderr' });
  log.warn({ action: 'emergency.begin', accountId: begun.accountId, clinicId }, 'emergency access begins');
  return { shown: begun };
}

async function accountOf(records: Records, { email }: OfAccount): Promise<{ clinicId: string | null; id: string }> {
  const account = await accountsIn(records).findByEmail(email);
  if (!account) throw new Error(`There is no account with the e-mail ${email}.`);
  const { clinicId, id, role } = account;
  if (clinicId === null && role !== 'operator')
    throw new Error(`The account with the e-mail ${email} belongs to no clinic.`);
  return { clinicId, id };
}

const accountsIn = ({ database, config }: Records) =>
  accountsOf({ database, secretKeys: config.SECRET_KEYS, authSecret: config.AUTH_SECRET });
