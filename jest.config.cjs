/** Every test runs against real PostgreSQL and a real Temporal server; test/support/global-setup.ts starts them once. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.(tsx?|m?js)$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  // better-auth and what it stands on are ES modules, which Jest cannot require as they are.
  transformIgnorePatterns: ['/node_modules/(?!@clinic|@noble/|jose/|kysely/|nanostores/).*(?<!\\.mjs)$'],
  modulePathIgnorePatterns: ['<rootDir>/.local'],
  testTimeout: 30_000,
};
