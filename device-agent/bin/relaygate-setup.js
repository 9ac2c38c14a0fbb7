#!/usr/bin/env node
require('../../shared/built.js').loadBuilt(__filename, '../dist/provisioning/main.js').main(process.argv);
