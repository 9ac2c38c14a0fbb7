#!/usr/bin/env node
require('../dist/setup/main.js').main(process.argv);
