#!/usr/bin/env node
require('../../shared/built.js').loadBuilt(__filename, '../dist/agent/main.js').main(process.argv);
