/** How each program of a `bin` folder begins: plain JavaScript, because it runs before anything is built. */
const { existsSync } = require('node:fs');
const { basename, dirname, resolve } = require('node:path');

/** Loads `main`, relative to `program`. In a tree that is not built it says what to run, and ends with exit code 1. */
exports.loadBuilt = (program, main) => {
  const file = resolve(dirname(program), main);
  if (existsSync(file)) return require(file);
  const name = basename(program, '.js');
  console.error(`${name}: not-built: run "npm run prepare:tree" in ${resolve(__dirname, '..')} first.`);
  process.exit(1);
};
