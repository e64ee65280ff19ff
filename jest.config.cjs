/**
 * Each takes minutes: whole stacks, whole stories, faults, and days of use in a browser. `npm test` leaves them to CI, which plays them at every landing;
 * a path that names one plays it anywhere.
 */
const longOnes = [
  'dashboard/dashboard',
  'dashboard/everyday-use',
  'dashboard/pages',
  'local/stack',
  'proofs/faults/suite',
  'proofs/faults/temporal-stopped',
  'stories/go-live',
].map((path) => `<rootDir>/test/${path}\\.test\\.ts$`);

/** Every test runs against real PostgreSQL and a real Temporal server; test/support/global-setup.ts starts them once. */
module.exports = {
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  roots: ['<rootDir>/test'],
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  testMatch: ['**/*.test.ts'],
  // What a server of its own needs, built for minutes, is asked for: `TEMPORAL=postgres npm test -- temporal-on-postgres`.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.TEMPORAL === 'postgres' ? [] : ['-on-postgres\\.test\\.ts$']),
    ...(process.env.LONG_TESTS === 'left' ? longOnes : []),
  ],
  transform: {
    // Not prom-client, which keeps one registry for a process: every file registers its metrics anew. Nor Prisma's engine, whose
    // bindings hold on to the memory of the first that was made.
    '/node_modules/(?!prom-client/|@prisma/schema-engine-wasm/).*\\.[cm]?js$':
      '<rootDir>/test/support/shared-library.cjs',
    '^.+\\.(tsx?|m?js)$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  // It has no entry for `require` in its exports.
  moduleNameMapper: { '^fhir-kit-client$': '<rootDir>/node_modules/fhir-kit-client/dist/index.js' },
  transformIgnorePatterns: [],
  modulePathIgnorePatterns: ['<rootDir>/.local', '<rootDir>/dist'],
  // `npm test -- --coverage`: what runs in a browser, in the workflow sandbox or in a process of its own is not counted.
  coverageProvider: 'v8',
  coverageReporters: ['json-summary', 'html'],
  collectCoverageFrom: [
    '{api,worker,workflows,temporal,activities,gateways,prisma,accounts,sandbox,commands,shared}/**/*.ts',
    '!prisma/generated/**',
  ],
  // Files wait as much as they work: four at a time fill two cores.
  maxWorkers: 4,
  testTimeout: 240_000,
};
