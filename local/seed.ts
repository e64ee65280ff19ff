import { openDatabase } from '@clinic/prisma/client';
import { seedDemo } from '@clinic/accounts/seed';
import type { ApiConfig } from '@clinic/shared/config';
import { readSeed, writeSeed, type Seed } from './dev-file';

/** The demo clinics with everything that is shown once: as remembered, or new where the database does not hold them. */
export async function seedOnce({
  databaseUrl,
  config,
  say,
}: {
  databaseUrl: string;
  config: ApiConfig;
  say: (line: string) => void;
}): Promise<Seed> {
  const database = openDatabase(databaseUrl, { poolSize: 2 });
  try {
    const remembered = readSeed();
    if (remembered) {
      const ids = remembered.clinics.map(({ clinicId }) => clinicId);
      if ((await database.prisma.clinic.count({ where: { id: { in: ids } } })) === ids.length) return remembered;
    }
    say('Making two demo clinics …');
    const seed = await seedDemo({ database, secretKeys: config.SECRET_KEYS, authSecret: config.AUTH_SECRET });
    writeSeed(seed);
    return seed;
  } finally {
    await database.close();
  }
}
