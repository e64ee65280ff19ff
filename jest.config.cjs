/** Every test runs against real PostgreSQL and a real Temporal server; test/support/global-setup.ts starts them once. */
module.exports = {
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  roots: ['<rootDir>/test'],
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.(tsx?|m?js)$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  // It has no entry for `require` in its exports.
  moduleNameMapper: { '^fhir-kit-client$': '<rootDir>/node_modules/fhir-kit-client/dist/index.js' },
  // Prisma's schema engine, fhir-kit-client, get-port, better-auth and what it stands on are ES modules, which Jest cannot require as they are.
  transformIgnorePatterns: [
    '/node_modules/(?!@clinic|@noble/|fhir-kit-client/|get-port/|@prisma/schema-engine-wasm/|@seriousme/|jose/|kysely/|nanostores/).*(?<!\\.mjs)$',
  ],
  modulePathIgnorePatterns: ['<rootDir>/.local'],
  // `npm test -- --coverage`: what runs in a browser, in the workflow sandbox or in a process of its own is not counted.
  coverageProvider: 'v8',
  coverageReporters: ['json-summary', 'html'],
  collectCoverageFrom: ['{api,worker,workflows,temporal,activities,prisma,shared}/**/*.ts', '!prisma/generated/**'],
  // Most tests wait for a server: two at a time use two cores well, and more would only wait longer.
  maxWorkers: 2,
  testTimeout: 60_000,
};
