/**
 * Jest runs what tsc has compiled, so there is nothing to transform; test/support/tools/run-suites.mjs calls it once for each part
 * of test/support/tools/suites.mjs.
 */
module.exports = {
  // Tests are in the first; `--watchAll` looks at the others too.
  roots: ['test', 'shared', 'server', 'server/client', 'device-agent', 'hardware'].map(
    (folder) => `<rootDir>/${folder}/dist`,
  ),
  testMatch: ['**/*.test.js'],
  testEnvironment: '<rootDir>/test/support/tools/test-environment.cjs',
  transform: {},
  globalSetup: '<rootDir>/test/support/tools/fresh-validators.cjs',
  // Patience with a test that hangs; it judges no time. A machine may be slow, or stand still while thousands of games are
  // played, and what waits for a condition says by itself that it waited in vain (test/support/time/waiting.ts: 15 s).
  testTimeout: 60_000,
};
