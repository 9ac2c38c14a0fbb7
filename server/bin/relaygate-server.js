#!/usr/bin/env node
require('../../shared/built.js').loadBuilt(__filename, '../dist/main.js');
