import { Command } from 'commander';
import { accountsOf } from '@clinic/accounts/seed';
import { type CommandLine, type CommandResult, emailAddress, operator, type Records } from './command-line';

/** Single sign-on of clinics, as far as it is the operator's: whose a domain is, and the way back in. */
export function ssoCommands(line: CommandLine): Command {
  const sso = new Command('sso').description('single sign-on of a clinic');
  sso.command('show').requiredOption('--clinic <id>').action(line.onClinic(show));
  sso
    .command('domains')
    .description('the domains of e-mail addresses that clinics have entered and nobody has confirmed')
    .action(
      line.onRecords(async ({ stores }) => ({ shown: { unconfirmed: await stores.singleSignOn.unconfirmed() } })),
    );
  sso
    .command('confirm-domain')
    .description('confirms that a domain is the clinic’s, and takes it from others: its people can sign in then')
    .requiredOption('--clinic <id>')
    .requiredOption('--domain <domain>', 'as harbor.example')
    .action(line.onClinic(confirmDomain));
  sso
    .command('allow-passwords')
    .description('passwords and passkeys open accounts of the clinic again, beside single sign-on')
    .requiredOption('--clinic <id>')
    .action(line.onClinic(allowPasswords));
  sso
    .command('unlink')
    .description('the account is nobody’s at the identity provider any more; who signs in next with its address has it')
    .requiredOption('--email <e-mail>', 'of the account', emailAddress)
    .action(line.onRecords(unlink));
  return sso;
}

async function show({ stores }: Records, { clinic: clinicId }: { clinic: string }): Promise<CommandResult> {
  return { shown: { clinicId, singleSignOn: await stores.singleSignOn.find(clinicId) } };
}

async function confirmDomain(
  { stores }: Records,
  { clinic: clinicId, domain: given }: { clinic: string; domain: string },
): Promise<CommandResult> {
  const domain = given.toLowerCase();
  const isEntered = await stores.singleSignOn.confirm({ clinicId, domain }, operator);
  if (!isEntered) throw new Error(`The clinic has not entered ${domain} in its settings of single sign-on.`);
  return { shown: { clinicId, domain, isConfirmed: true } };
}

async function allowPasswords({ stores }: Records, { clinic: clinicId }: { clinic: string }): Promise<CommandResult> {
  await stores.singleSignOn.setOnlyWay({ clinicId, isOnlyWay: false, sessionId: null }, operator);
  return { shown: { clinicId, isOnlyWay: false } };
}

async function unlink({ stores, database, config }: Records, { email }: { email: string }): Promise<CommandResult> {
  const accounts = accountsOf({ database, secretKeys: config.SECRET_KEYS, authSecret: config.AUTH_SECRET });
  const account = await accounts.findByEmail(email);
  if (!account?.clinicId) throw new Error(`There is no account of a clinic with the e-mail ${email}.`);
  const { id, clinicId } = account;
  const wasLinked = await stores.singleSignOn.unlink({ clinicId, id }, operator);
  return { shown: { accountId: id, wasLinked } };
}
