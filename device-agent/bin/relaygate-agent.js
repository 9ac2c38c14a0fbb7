#!/usr/bin/env node
require('../dist/agent/main.js').main(process.argv);
