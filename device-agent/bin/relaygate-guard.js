#!/usr/bin/env node
require('../../shared/built.js').loadBuilt(__filename, '../dist/guard/main.js').main(process.argv);
