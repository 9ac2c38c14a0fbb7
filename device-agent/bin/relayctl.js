#!/usr/bin/env node
require('../../shared/built.js').loadBuilt(__filename, '../dist/cli/main.js').main(process.argv);
