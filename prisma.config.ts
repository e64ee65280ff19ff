/** For Prisma's own command line (`npx prisma@7.10.0`); the service reads its environment in shared/config.ts. */
export default {
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
};
