import { randomUUID } from 'node:crypto';
import { openDatabase, type Database } from '@clinic/prisma/client';
import { Client } from 'pg';
import { testServers } from './servers';

/** A migrated, empty database of one's own, opened, in some 50 ms. `close` drops it, whoever is still connected. */
export async function freshDatabase(options: { poolSize?: number } = {}): Promise<Database> {
  const { url, drop } = await makeDatabase(`TEMPLATE ${testServers().templateDatabase}`);
  const database = openDatabase(url, options);
  return {
    ...database,
    close: async () => {
      await database.close();
      await drop();
    },
  };
}

/** A database without tables, for what makes them. */
export const emptyDatabase = (): Promise<{ url: string; drop: () => Promise<void> }> => makeDatabase('');

async function makeDatabase(how: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(`CREATE DATABASE ${name} ${how}`);
  const url = new URL(testServers().postgresUrl);
  url.pathname = name;
  return { url: url.href, drop: () => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
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
