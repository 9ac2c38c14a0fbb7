#!/usr/bin/env node
const { existsSync } = require('node:fs');
const { join, resolve } = require('node:path');

const main = join(__dirname, '../dist/main.js');
if (existsSync(main)) require(main);
else {
  const root = resolve(__dirname, '../..');
  console.error(`relaygate-server: not-built: run "npm run prepare:tree" in ${root} first.`);
  process.exitCode = 1;
}
