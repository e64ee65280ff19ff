/** Every test runs against real PostgreSQL and a real Temporal server; test/support/global-setup.ts starts them once. */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.tsx?$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } }] },
  transformIgnorePatterns: ['/node_modules/(?!@clinic)'],
  modulePathIgnorePatterns: ['<rootDir>/.local'],
  testTimeout: 30_000,
};
