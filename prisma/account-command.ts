import type { Role } from '@clinic/shared/domain/accounts';
import { createLog } from '@clinic/shared/log';
import { requireClinic } from './require-clinic';
import { accountsOf, type SeedDeps } from './seed';
import { createStores } from './stores';
import type { NewAccountLink } from './stores/account-links';

export const accountUsage = `  npm run clinic -- account list --clinic <id>
  npm run clinic -- account add --clinic <id> --email <e-mail> [--role admin|staff]
  npm run clinic -- account disable|enable|reset|remove-second-factor --email <e-mail>
  npm run clinic -- account second-factor --clinic <id> --required yes|no
  npm run clinic -- emergency --clinic <id> --reason <why> [--minutes <1 to 240, 30 unless given>]`;

export const accountNotes = `account add prints a link by which the person makes their account within 72 hours, once; account reset one by which they set a new
  password. Nothing is mailed by the command.
account second-factor: whether the clinic requires one of everybody; who has none sets one up at the next sign-in before anything else.
emergency: an administrator's account of the clinic that ends by itself. Its password is printed; the clinic's administrators get a task.`;

export interface AccountOptions {
  clinic?: string;
  email?: string;
  role?: string;
  reason?: string;
  minutes?: string;
  required?: string;
}

export type AccountDeps = SeedDeps & {
  /** Where the dashboard is reached: links begin with it. */
  publicUrl: string;
};

interface ShownLink {
  id: string;
  email: string;
  link: string;
  expiresAt: string;
}

interface ShownAccount {
  id: string;
  name: string;
  email: string;
  role: string;
  disabledAt: Date | null;
  endsAt: Date | null;
}

export type AccountCommandResult =
  | { accounts: ShownAccount[] }
  | { link: ShownLink }
  | { accountId: string; done: string }
  | { clinicId: string; isSecondFactorRequired: boolean }
  | { emergency: { accountId: string; clinicId: string; email: string; password: string; endsAt: string } };

/** On standard error, beside what the command prints. */
export function logEmergency({ accountId, clinicId }: { accountId: string; clinicId: string }): void {
  const log = createLog({ process: 'clinic', level: 'info', output: 'stderr' });
  log.warn({ action: 'emergency.begin', accountId, clinicId }, 'emergency access begins');
}

const operator = { actor: 'operator' };
const MAX_MINUTES = 240;

/** Manages the accounts of a clinic as its administrators do, for when none of them can. Null for a command of another kind. */
export async function runAccountCommand(
  command: string,
  options: AccountOptions,
  deps: AccountDeps,
): Promise<AccountCommandResult | null> {
  const stores = createStores(deps.database, deps.secretKeys);
  const shown = ({ id, email, token, expiresAt }: NewAccountLink) => ({
    link: { id, email, link: `${deps.publicUrl}/set-password#${token}`, expiresAt: expiresAt.toISOString() },
  });
  switch (command) {
    case 'account list': {
      const accounts = await stores.staff.accounts(await clinicOf(options, stores));
      return {
        accounts: accounts.map(({ id, name, email, role, disabledAt, endsAt }) => ({
          id,
          name,
          email,
          role,
          disabledAt,
          endsAt,
        })),
      };
    }
    case 'account add': {
      const clinicId = await clinicOf(options, stores);
      return shown(
        await stores.accountLinks.invite({ clinicId, email: emailOf(options), role: roleOf(options) }, operator),
      );
    }
    case 'account reset': {
      const { clinicId, id } = await accountOf(options, deps);
      const link = await stores.accountLinks.reset({ clinicId, id }, operator);
      if (!link) throw new Error(`There is no account ${id}.`);
      return shown(link);
    }
    case 'account disable':
    case 'account enable': {
      const account = await accountOf(options, deps);
      if (command === 'account disable') await stores.staff.disable(account, operator);
      else await stores.staff.enable(account, operator);
      return { accountId: account.id, done: command.replace('account ', '') };
    }
    case 'account remove-second-factor': {
      const { clinicId, id } = await accountOf(options, deps);
      await accountsOf(deps).secondFactors.removeAll({ clinicId, accountId: id }, operator);
      return { accountId: id, done: 'remove-second-factor' };
    }
    case 'account second-factor': {
      const { required = '' } = options;
      if (required !== 'yes' && required !== 'no') throw new Error('--required is needed: yes or no.');
      const clinicId = await clinicOf(options, stores);
      const isRequired = required === 'yes';
      await stores.staff.requireSecondFactor({ clinicId, isRequired }, operator);
      return { clinicId, isSecondFactorRequired: isRequired };
    }
    case 'emergency': {
      const clinicId = await clinicOf(options, stores);
      const { reason = '', minutes: given = '30' } = options;
      const minutes = Number(given);
      if (reason.trim().length < 10) throw new Error('--reason must say in some words why access is needed.');
      if (!Number.isInteger(minutes) || minutes < 1 || minutes > MAX_MINUTES) {
        throw new Error(`--minutes must be a whole number from 1 to ${MAX_MINUTES}.`);
      }
      return { emergency: await accountsOf(deps).beginEmergency({ clinicId, reason: reason.trim(), minutes }) };
    }
    default:
      return null;
  }
}

async function clinicOf({ clinic }: AccountOptions, { clinics }: ReturnType<typeof createStores>): Promise<string> {
  if (!clinic) throw new Error('--clinic is needed: the id of the clinic.');
  await requireClinic(clinics, clinic);
  return clinic;
}

async function accountOf(options: AccountOptions, deps: AccountDeps): Promise<{ clinicId: string; id: string }> {
  const email = emailOf(options);
  const account = await accountsOf(deps).findByEmail(email);
  if (!account) throw new Error(`There is no account with the e-mail ${email}.`);
  const { clinicId, id } = account;
  if (clinicId === null) throw new Error(`The account with the e-mail ${email} belongs to no clinic.`);
  return { clinicId, id };
}

function emailOf({ email }: AccountOptions): string {
  if (email !== undefined && /^\S+@\S+\.\S+$/.test(email)) return email;
  throw new Error(email === undefined ? '--email is needed.' : `${email} is not an email address.`);
}

function roleOf({ role = 'staff' }: AccountOptions): Role {
  if (role === 'admin' || role === 'staff') return role;
  throw new Error(`${role} is not a role: admin or staff.`);
}
