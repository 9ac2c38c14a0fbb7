#!/usr/bin/env node
require('../../shared/built.js').loadBuilt(__filename, '../dist/setup/main.js').main(process.argv);
