#!/usr/bin/env node
require('../../shared/built.js').loadBuilt(__filename, '../dist/relayctl/main.js').main(process.argv);
