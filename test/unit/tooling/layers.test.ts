/** Every rule of .dependency-cruiser.cjs must catch its violation, or the check is a promise and no rule. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { folderForAll } from '../../support/processes/fresh-folder';

const ROOT = resolve(__dirname, '../../../..');
const CONFIG = join(ROOT, '.dependency-cruiser.cjs');

/** Files that keep every rule. The violations below import them. */
const LAWFUL = {
  'shared/package.json': JSON.stringify({
    name: '@relaygate/shared',
    exports: { '.': { types: './dist/index.d.ts' }, './system': { types: './dist/system/index.d.ts' } },
  }),
  'shared/dist/index.d.ts': 'export interface Clock {}',
  'shared/dist/system/index.d.ts': 'export declare const systemClock: object;',
  'shared/src/clock.ts': 'export interface Clock {}',
  'shared/src/system/index.ts':
    "import { randomBytes } from 'node:crypto'; import type { Clock } from '../clock'; export const systemClock: Clock = randomBytes(1);",
  'server/src/commands/command-slot.ts':
    "import { createHash } from 'node:crypto'; import type { Clock } from '@relaygate/shared'; export type CommandSlot = Clock; export const hash = createHash;",
  'server/src/devices/link.ts': 'export interface Link {}',
  'server/src/products/product.ts':
    "import type { Link } from '../devices/link'; export interface Product { link: Link }",
  'server/src/tokens/access.ts': "import { sign } from 'jsonwebtoken'; export const access = sign;",
  'server/src/router/node-router.ts': 'export const start = 1;',
  'server/src/http/app.ts':
    "import { type CommandSlot, hash } from '../commands/command-slot'; import express from 'express'; export const app: CommandSlot = [express, hash];",
  'server/src/http/e.ts': "import type { D } from './d'; export type E = D;",
  'server/src/gateway/link.ts':
    "import type { CommandSlot } from '../commands/command-slot'; export type Link = CommandSlot;",
  'server/src/storage/sqlite.ts':
    "import { readFileSync } from 'node:fs'; import { secret } from '../files/secrets'; export const open = [readFileSync, secret];",
  'server/src/files/secrets.ts': "import { readFileSync } from 'node:fs'; export const secret = readFileSync;",
  'server/src/cli/program.ts': 'export interface Program {}',
  'server/src/log/pino-log.ts': "import { writeSync } from 'node:fs'; export const pinoLog = writeSync;",
  'server/src/settings.ts': 'export interface Settings {}',
  'server/src/compose.ts':
    "import { systemClock } from '@relaygate/shared/system'; import { app } from './http/app'; import { open } from './storage/sqlite'; export const all = [systemClock, app, open];",
  'server/src/operator-access.ts': "import { secret } from './files/secrets'; export const operatorAccess = [secret];",
  'server/src/main.ts': "import { all } from './compose'; all.slice();",
  'device-agent/src/guard/protocol.ts': 'export interface Request {}',
  'device-agent/src/guard/outputs.ts':
    "import type { Driver } from '../relay/driver'; export const outputs = (driver: Driver) => [driver];",
  'device-agent/src/relay/driver.ts': 'export interface Driver {}',
  'device-agent/src/guard/compose.ts':
    "import { readFileSync } from 'node:fs'; import { outputs } from './outputs'; import { dial } from '../platform/dial'; export const guard = [outputs, dial, readFileSync];",
  'device-agent/src/platform/dial.ts': "import { connect } from 'node:net'; export const dial = connect;",
  'device-agent/src/agent/technician/local-messages/device.ts': 'export interface Message {}',
  'device-agent/src/agent/link/link.ts':
    "import type { Request } from '../../guard/protocol'; import { WebSocket } from 'ws'; export const link = (r: Request) => [r, WebSocket];",
  'device-agent/src/doctor/check-context.ts': 'export interface CheckContext {} export const seen = 1;',
  'device-agent/src/doctor/doctor.ts': 'export interface Doctor {}',
  'device-agent/src/agent/technician/web/web-exchange.ts': 'export interface WebExchange {} export const html = 1;',
  'device-agent/src/platform/host.ts':
    "import type { CheckContext } from '../doctor/check-context'; import type { WebExchange } from '../agent/technician/web/web-exchange'; export type Host = CheckContext & WebExchange;",
  'server/page/src/mended.ts': 'export const mended = 1;',
  'server/client/src/client.ts': "import { ask } from './answer'; export const client = [ask];",
  'server/client/src/answer.ts': 'export const ask = fetch;',
  'hardware/src/main.ts': "import { readFileSync } from 'node:fs'; export const read = readFileSync;",
  'device-agent/src/relayctl/relayctl.ts':
    "import type { Message } from '../agent/technician/local-messages/device'; export type Shown = Message;",
  'device-agent/src/locales/common.ts': 'export const yes = 1;',
  'device-agent/src/locales/fault-text.ts': 'export const faultText = 1;',
  'device-agent/src/proof/proof-time.ts':
    "import type { Message } from '../agent/technician/local-messages/device'; export const proofTime = (m: Message) => m;",
  'device-agent/page/src/proof.ts':
    "import { proofTime } from '../../src/proof/proof-time'; export const proof = [proofTime];",
  'device-agent/page/src/words.ts': "import { yes } from '../../src/locales/common'; export const words = [yes];",
  'device-agent/page/src/page.tsx':
    "import { h } from 'preact'; import type { Message } from '../../src/agent/technician/local-messages/device'; export const shown = (m: Message) => h('p', { m });",
  'test/unit/place.test.ts':
    "import type { CommandSlot } from '../../server/src/commands/command-slot'; export type P = CommandSlot;",
};

/** [rule, file that breaks it, how]. `import type` counts like any other import. */
const VIOLATIONS: readonly (readonly [rule: string, file: string, how: string])[] = [
  [
    'server-and-device-apart',
    'server/src/http/v1.ts',
    "import type { Request } from '../../../device-agent/src/guard/protocol';",
  ],
  ['server-and-device-apart', 'device-agent/src/agent/a.ts', "import { app } from '../../../server/src/http/app';"],
  ['server-and-device-apart', 'device-agent/src/agent/b.ts', "import type { App } from '@relaygate/server/http/app';"],
  [
    'shared-stands-alone',
    'shared/src/a.ts',
    "import type { CommandSlot } from '../../server/src/commands/command-slot';",
  ],
  ['shared-is-pure', 'shared/src/b.ts', "import { readFileSync } from 'node:fs';"],
  ['shared-is-pure', 'shared/src/c.ts', "import type { Stats } from 'node:fs';"],
  ['shared-takes-ports', 'shared/src/d.ts', "import { systemClock } from './system';"],
  ['programs-know-no-tests', 'server/src/http/a.ts', "import type { P } from '../../../test/unit/place.test';"],
  ['demo-runs-what-users-run', 'test/demo/a.ts', "import type { Clock } from '@relaygate/shared';"],
  ['demo-runs-what-users-run', 'test/demo/b.ts', "import { app } from '../../server/src/http/app';"],
  ['domain-knows-no-adapter', 'server/src/commands/a.ts', "import type { Link } from '../gateway/link';"],
  ['domain-knows-no-adapter', 'server/src/products/a.ts', "import { open } from '../storage/sqlite';"],
  ['domain-knows-no-adapter', 'server/src/clients/a.ts', "import type { Settings } from '../settings';"],
  ['domain-knows-no-adapter', 'server/src/audit/a.ts', "export type { Program } from '../cli/program';"],
  ['domain-knows-no-adapter', 'server/src/limits/a.ts', "import type { Link } from '../gateway/link';"],
  ['domain-knows-no-adapter', 'server/src/upkeep/a.ts', "import { open } from '../storage/sqlite';"],
  ['domain-knows-no-adapter', 'server/src/log/a.ts', "import { pinoLog } from './pino-log';"],
  ['domain-knows-no-adapter', 'server/src/activity-counter.ts', "import type { Settings } from './settings';"],
  ['domain-does-no-io', 'server/src/audit/b.ts', "import { writeFileSync } from 'node:fs';"],
  ['domain-does-no-io', 'server/src/commands/b.ts', "import { setTimeout } from 'node:timers/promises';"],
  ['domain-does-no-io', 'server/src/commands/c.ts', "import type { Socket } from 'net';"],
  ['domain-uses-no-framework', 'server/src/products/b.ts', "import type { Request } from 'express';"],
  ['domain-uses-no-framework', 'server/src/clients/b.ts', "import Database from 'better-sqlite3';"],
  ['domain-uses-no-framework', 'server/src/commands/d.ts', "import type { WebSocket } from 'ws';"],
  ['domain-takes-ports', 'server/src/tokens/a.ts', "import { systemClock } from '@relaygate/shared/system';"],
  ['domain-knows-no-adapter', 'server/src/devices/a.ts', "import type { Link } from '../gateway/link';"],
  ['commands-and-products-apart', 'server/src/commands/e.ts', "import type { Product } from '../products/product';"],
  [
    'commands-and-products-apart',
    'server/src/products/c.ts',
    "import type { CommandSlot } from '../commands/command-slot';",
  ],
  ['devices-below-both', 'server/src/devices/b.ts', "import type { CommandSlot } from '../commands/command-slot';"],
  ['devices-below-both', 'server/src/devices/c.ts', "import type { Product } from '../products/product';"],
  ['adapters-apart', 'server/src/http/b.ts', "import type { Link } from '../gateway/link';"],
  ['adapters-apart', 'server/src/router/a.ts', "import { open } from '../storage/sqlite';"],
  ['domain-knows-no-adapter', 'server/src/commands/r.ts', "import { start } from '../router/node-router';"],
  ['adapters-apart', 'server/src/gateway/a.ts', "import { open } from '../storage/sqlite';"],
  ['adapters-apart', 'server/src/files/a.ts', "import { open } from '../storage/sqlite';"],
  ['adapters-apart', 'server/src/http/h.ts', "import { secret } from '../files/secrets';"],
  ['storage-above-files', 'server/src/storage/a.ts', "import type { Link } from '../gateway/link';"],
  ['copies-above-storage', 'server/src/copies/a.ts', "import type { Link } from '../gateway/link';"],
  ['adapters-apart', 'server/src/cli/a.ts', "import { app } from '../http/app';"],
  ['compose-is-the-top', 'server/src/http/c.ts', "import { all } from '../compose';"],
  ['compose-is-the-top', 'server/src/cli/b.ts', "import { operatorAccess } from '../operator-access';"],
  ['core-is-below-compose', 'server/src/http/g.ts', "import type { Core } from '../core';"],
  ['core-takes-ports', 'server/src/core.ts', "import { systemClock } from '@relaygate/shared/system';"],
  ['core-runs-no-adapter', 'server/src/core.ts', "import { open } from './storage/sqlite'; open('x');"],
  ['core-runs-no-adapter', 'server/src/actions.ts', "import { open } from './storage/sqlite'; open('x');"],
  ['core-does-no-io', 'server/src/core.ts', "import { readFileSync } from 'node:fs';"],
  [
    'guard-knows-no-agent',
    'device-agent/src/guard/a.ts',
    "import type { Message } from '../agent/technician/local-messages/device';",
  ],
  ['guard-knows-no-network', 'device-agent/src/guard/b.ts', "import { request } from 'node:https';"],
  ['guard-knows-no-network', 'device-agent/src/relay/a.ts', "import type { WebSocket } from 'ws';"],
  ['agent-asks-the-guard', 'device-agent/src/agent/c.ts', "import { outputs } from '../guard/outputs';"],
  ['agent-asks-the-guard', 'device-agent/src/agent/d.ts', "import type { Driver } from '../relay/driver';"],
  ['drivers-know-their-port-only', 'device-agent/src/relay/b.ts', "import type { Request } from '../guard/protocol';"],
  ['relayctl-asks-the-agent', 'device-agent/src/relayctl/a.ts', "import { link } from '../agent/link/link';"],
  ['relayctl-asks-the-agent', 'device-agent/src/relayctl/b.ts', "import type { Request } from '../guard/protocol';"],
  ['doctor-looks-at-lines', 'device-agent/src/doctor/a.ts', "import type { Driver } from '../relay/driver';"],
  ['setup-knows-messages-only', 'device-agent/src/provisioning/a.ts', "import { link } from '../agent/link/link';"],
  [
    'setup-knows-messages-only',
    'device-agent/src/provisioning/b.ts',
    "import type { Request } from '../guard/protocol';",
  ],
  [
    'setup-knows-messages-only',
    'device-agent/src/provisioning/c.ts',
    "import type { Doctor } from '../doctor/doctor';",
  ],
  ['helper-knows-no-program', 'device-agent/src/helper/a.ts', "import { link } from '../agent/link/link';"],
  ['client-stands-alone', 'server/client/src/a.ts', "import type { Clock } from '@relaygate/shared';"],
  ['client-stands-alone', 'server/client/src/b.ts', "import { randomUUID } from 'node:crypto';"],
  ['client-stands-alone', 'server/client/src/c.ts', "import { WebSocket } from 'ws';"],
  ['client-is-for-applications', 'server/src/http/g.ts', "import { client } from '../../client/src/client';"],
  ['device-takes-ports', 'device-agent/src/guard/c.ts', "import { dial } from '../platform/dial';"],
  ['device-takes-ports', 'device-agent/src/agent/e.ts', "import { systemClock } from '@relaygate/shared/system';"],
  ['device-does-no-io', 'device-agent/src/guard/d.ts', "import { readFileSync } from 'node:fs';"],
  ['device-does-no-io', 'device-agent/src/agent/f.ts', "import type { Socket } from 'node:net';"],
  ['device-ground-is-neutral', 'device-agent/src/ipc/a.ts', "import type { Request } from '../guard/protocol';"],
  [
    'device-ground-is-neutral',
    'device-agent/src/runtime/b.ts',
    "import type { CheckContext } from '../doctor/check-context';",
  ],
  ['platform-knows-ports', 'device-agent/src/platform/a.ts', "import type { Driver } from '../relay/driver';"],
  ['platform-knows-ports', 'device-agent/src/platform/b.ts', "import type { Doctor } from '../doctor/doctor';"],
  ['platform-takes-types', 'device-agent/src/platform/c.ts', "import { seen } from '../doctor/check-context';"],
  [
    'platform-takes-types',
    'device-agent/src/platform/d.ts',
    "import { html } from '../agent/technician/web/web-exchange';",
  ],
  ['device-ground-is-neutral', 'device-agent/src/serial/a.ts', "import type { Driver } from '../relay/driver';"],
  [
    'page-knows-messages-only',
    'device-agent/page/src/a.tsx',
    "import type { Request } from '../../src/guard/protocol';",
  ],
  ['page-knows-messages-only', 'device-agent/page/src/b.ts', "import { h } from 'ws';"],
  [
    'page-imports-types-only',
    'device-agent/page/src/c.ts',
    "import { Message } from '../../src/agent/technician/local-messages/device';",
  ],
  ['page-imports-types-only', 'device-agent/page/src/d.ts', "import { systemClock } from '@relaygate/shared/system';"],
  ['docs-page-stands-alone', 'server/page/src/a.ts', "import { app } from '../../src/http/app';"],
  ['server-imports-no-page', 'server/src/http/h.ts', "import { mended } from '../../page/src/mended';"],
  ['switch-question-is-pure', 'server/src/http/docs/switch-question.ts', "import type { D } from '../d';"],
  ['page-words-import-types-only', 'device-agent/src/locales/en/page.ts', "import { faultText } from '../fault-text';"],
  ['proof-is-pure', 'device-agent/src/proof/proof-round.ts', "import { yes } from '../locales/common';"],
  ['agent-imports-no-page', 'device-agent/src/agent/g.ts', "import { shown } from '../../page/src/page';"],
  ['guard-speaks-to-its-log', 'device-agent/src/guard/c.ts', "import { faultText } from '../locales/fault-text';"],
  ['locales-know-values-only', 'device-agent/src/locales/a.ts', "import { outputs } from '../guard/outputs';"],
  ['device-ground-is-neutral', 'device-agent/src/runtime/a.ts', "import type { Driver } from '../relay/driver';"],
  [
    'device-ground-is-neutral',
    'device-agent/src/provisioning/site/a.ts',
    "import type { Message } from '../../agent/technician/local-messages/device';",
  ],
  ['flash-moves-no-relay', 'hardware/src/a.ts', "import { link } from '../../device-agent/src/agent/link/link';"],
  ['flash-moves-no-relay', 'hardware/src/b.ts', "import type { Program } from '../../server/src/cli/program';"],
  ['no-cycles', 'server/src/http/d.ts', "import type { E } from './e'; export type D = E;"],
  ['imports-exist', 'server/src/http/f.ts', "import { nothing } from './nowhere';"],
];

interface Finding {
  readonly rule: { readonly name: string };
  readonly from: string;
}

const folder = folderForAll('rg-layers-');
let findings: readonly Finding[];

function cruise(outputType: string, ...files: readonly string[]): SpawnSyncReturns<string> {
  const bin = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [bin, '--config', CONFIG, '--output-type', outputType, ...files];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

beforeAll(() => {
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const [file, text] of Object.entries(LAWFUL)) write(file, text);
  // A file may break several rules.
  for (const [, file] of VIOLATIONS) write(file, textOf(file));
  for (const name of ['express', 'ws', 'better-sqlite3', 'jsonwebtoken', 'preact', '@types/express', '@types/ws']) {
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  mkdirSync(join(folder, 'node_modules/@relaygate'), { recursive: true });
  symlinkSync('../../shared', join(folder, 'node_modules/@relaygate/shared'));
  findings = JSON.parse(cruise('json', 'shared', 'server', 'device-agent', 'hardware', 'test').stdout).summary
    .violations;
});

function textOf(wanted: string): string {
  return VIOLATIONS.filter(([, file]) => file === wanted)
    .map(([, , text]) => text)
    .join('\n');
}

describe('the layer check', () => {
  test.each(VIOLATIONS)('%s: catches %s: %s', (rule, file, _how) => {
    expect(findings.filter(({ from }) => from === file).map((finding) => finding.rule.name)).toContain(rule);
  });

  test('finds nothing in files that keep the rules', () => {
    const guilty = new Set(VIOLATIONS.map(([, file]) => file));
    expect(findings.filter(({ from }) => !guilty.has(from))).toEqual([]);
  });

  test('fails when something is found', () => {
    expect(cruise('err', 'shared/src/a.ts').status).not.toBe(0);
    expect(cruise('err', 'shared/src/clock.ts').status).toBe(0);
  });

  test('has a violation here for each of its rules', () => {
    const { forbidden } = require(CONFIG);
    const names = new Set(forbidden.map(({ name }: { name: string }) => name));
    expect(names).toEqual(new Set(VIOLATIONS.map(([rule]) => rule)));
  });
});
