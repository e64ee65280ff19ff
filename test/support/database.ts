import { randomUUID } from 'node:crypto';
import { openDatabase, type Database } from '@clinic/prisma/client';
import { Client } from 'pg';
import { testServers } from './servers';

/**
 * A migrated, empty database of one's own, opened, in some 50 ms. It goes with the whole server at the end of the run: dropping
 * each one slows the file system down for those that make the next.
 */
export async function freshDatabase(options: { poolSize?: number } = {}): Promise<Database> {
  return openDatabase(await makeDatabase(`TEMPLATE ${testServers().templateDatabase}`), options);
}

/** The URL of a database without tables, for what makes them. */
export const emptyDatabase = (): Promise<string> => makeDatabase('');

async function makeDatabase(how: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(`CREATE DATABASE ${name} ${how}`);
  const url = new URL(testServers().postgresUrl);
  url.pathname = name;
  return url.href;
}

async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: testServers().postgresUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
