import { relative } from 'node:path';
import type { DevStack } from './dev-file';
import { refuseArguments } from './no-arguments';
import { devFile, logFile, root } from './paths';
import { startStack } from './stack';
import { stopRequest } from './stop-request';

const say = (line: string): void => console.log(line);

export interface Start {
  /** Builds the dashboard where it is older than its sources, and says so. */
  buildDashboard: (say: (line: string) => void) => Promise<unknown>;
}

const usage = `Usage: npm start, without options, or with --ephemeral (docs/sandbox.md). Settings are variables of its environment:
  PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT, DATABASE_PORT   where it listens
  DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE     servers of your own, instead of those that it starts
  LOCAL_FOLDER                                           where its data is kept; .local otherwise`;

/** `npm start`: the whole service on this machine, until Ctrl-C. */
export async function main(args: string[], { buildDashboard }: Start): Promise<void> {
  refuseArguments(args, usage);
  const request = stopRequest(say);
  const build = async () => {
    await buildDashboard(say).catch((error: Error) => {
      if (request.signal.aborted) return;
      console.error(`${error.message} The rest of the service works without the dashboard.`);
    });
  };
  const startedAt = Date.now();
  try {
    const stack = await startStack({ say, signal: request.signal, build });
    console.log(welcome(stack.dev, (Date.now() - startedAt) / 1000));
    await request.made;
    say('\nStopping …');
    await stack.stop();
    say('Stopped. The data stays in .local; `npm run reset` removes it.');
  } catch (error) {
    if (!request.signal.aborted) throw error;
    say('Stopped before it was up.');
  } finally {
    request.close();
  }
}

function welcome(dev: DevStack, seconds: number): string {
  const [first] = dev.clinics;
  const clinics = dev.clinics.flatMap((clinic) => [
    '',
    `  ${clinic.name} (${clinic.timezone})`,
    `    admin        ${clinic.email}  ${clinic.password}`,
    `    staff        ${clinic.staff.email}  ${clinic.staff.password}`,
    `    API key      ${clinic.apiKey}`,
  ]);
  return [
    '',
    `Clinic workflows is up, after ${seconds.toFixed(1)} s.`,
    '',
    `  API            ${dev.baseUrl}`,
    `  Dashboard      ${dev.dashboardUrl}`,
    `  Temporal UI    ${dev.temporalUiUrl}`,
    `  Temporal       ${dev.temporalAddress}`,
    `  PostgreSQL     ${dev.databaseUrl}`,
    ...clinics,
    '',
    `  Everything there is to know: ${relative(root, devFile)}. Logs: ${relative(root, logFile('*'))}`,
    '',
    '  A dashboard token:',
    `    curl -s ${dev.baseUrl}/auth/sign-in/email -H 'content-type: application/json' \\`,
    `      -d '{"email":"${first?.email}","password":"${first?.password}"}'`,
    '',
    '  See it work: npm run demo (in another terminal). Ctrl-C stops everything.',
    '',
  ].join('\n');
}
