#!/usr/bin/env node
require('../../shared/built.js').loadBuilt(__filename, '../dist/helper/main.js').main(process.argv);
