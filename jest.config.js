/** Jest runs what tsc has compiled, so there is nothing to transform; test/support/run-suites.mjs calls it once per suite. */
module.exports = {
  roots: ['<rootDir>/test/dist'],
  testMatch: ['**/*.test.js'],
  testEnvironment: 'node',
  transform: {},
  // A command takes up to 5 s by design, so a test about one needs more than Jest's own 5 s.
  testTimeout: 15_000,
};
