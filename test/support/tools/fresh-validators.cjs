// Before each call of Jest, also by hand after `tsc -b`: a named validator (shared/src/named-parser.ts) of an older schema must not be used.
const { resolve } = require('node:path');

module.exports = async () => {
  const { compileValidators } = await import('../prepare/compile-validators.mjs');
  compileValidators(resolve(__dirname, '../../..'));
};
