#!/usr/bin/env node
require('../dist/guard/main.js').main(process.argv);
