import type { Database } from '@clinic/prisma/client';
import { createStores, type Stores } from '@clinic/prisma/stores';
import { defaultCallingPolicy } from '@clinic/shared/domain/outreach/calling-policy';
import { awaitedDatabase, awaitedStores } from './awaited';
import { freshDatabase } from './database';

export const secretKeys = [{ id: 'test', key: Buffer.alloc(32, 7) }];

/** The stores over a database of their own. */
export async function freshStores(): Promise<{ database: Database; stores: Stores }> {
  const database = await freshDatabase();
  return { database, stores: awaitedStores(createStores(awaitedDatabase(database), secretKeys)) };
}

/** A clinic in New York with the default policy; returns its id. */
export const aClinic = (stores: Stores, name: string): Promise<string> =>
  stores.clinics.create({
    name,
    timezone: 'America/New_York',
    isDemo: false,
    voiceProvider: 'simulator',
    policy: defaultCallingPolicy,
  });
