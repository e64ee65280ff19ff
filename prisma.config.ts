import { defineConfig } from 'prisma/config';

/** For Prisma's own command line; the service reads its environment in shared/config.ts. */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
});
