// The suites, in parts that are played one after the other: the quick ones first.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';

/** One end-to-end way for each program, which `npm test` plays; test/README.md says which programs they are. */
const WAYS = ['device/first-start', 'device/helpers', 'cli/associations'];
/** They hold pulses and clicks against the clock: alone in `npm test`, and in a full run two at a time, because they mostly wait. */
const TIMED_WAY = ['whole-path/whole-path'];
const TIMED = [
  'device/guard-stop',
  'device/modbus-off',
  'device/policies',
  'device/prove',
  'device/pulses',
  'device/relayctl',
  'device/serial-boards',
  'device/serial-console',
];
/** How late a machine is can be seen only on one that does nothing else. */
const LATE = ['tooling/lateness'];
/** These start databases and brokers, which takes as long as all the others. */
const OF_NODES = [
  'nodes/failover',
  'nodes/fence',
  'nodes/shared-database',
  'nodes/versions',
  'router/nats-router',
  'storage/migrate-storage',
  'storage/postgres-faults',
  'storage/postgres-storage',
];
/** As long as many others: only a full run plays them. */
const LONG = {
  // Games of three nodes, a history cut at each step, days of a clock, what builds something, and what reads all sources.
  unit: [
    'device-agent/agent/history/history-crash',
    'device-agent/agent/link/clock',
    'hardware/package-version',
    'hardware/workshop',
    'server/nodes/cluster.model',
    'tooling/board-packages',
    'tooling/compile-validators',
    'tooling/device-size',
    'tooling/guard-size',
    'tooling/layers',
    'tooling/linear-patterns',
    'tooling/prepare',
    'tooling/test-size',
  ],
  // The contract over a writer that is a thread (without one it takes an eighth), and serial boards: three workers
  // keep the processors from a bus that is asked every few milliseconds, and its orders fail.
  contract: [
    'relay-driver/lcus-answers',
    'relay-driver/lcus-board',
    'relay-driver/modbus-board',
    'relay-driver/modbus-contract',
    'storage/sqlite-thread',
  ],
  // Time-outs as they are, other people's compilers and file systems, and a thousand of something.
  integration: [
    'changes',
    'connections',
    'device-trees',
    'fat-volume',
    'generated-clients',
    'guessing-time',
    'links-beyond-budget',
    'lossy-link',
  ],
};
/** It keeps 70 processes. */
const CLUSTER = ['several-servers/cluster'];
/** Faults that wait for real time-outs, starts and disks, and keep half a processor busy at most. */
const WAITING = [
  'clock-jumps',
  'copied-cards',
  'database-faults',
  'deeds-power-loss',
  'deliberate-faults',
  'device-power-loss',
  'full-server',
  'given-up-requests',
  'half-open-http',
  'half-open-links',
  'idle-disk',
  'late-delivery',
  'link-faults',
  'retried-commands',
  'server-power-loss',
  'stalled-agents',
];
const LIVE = ['default', join(ROOT, 'test/hardware-vm/live-reporter.cjs')];

/** A whole run has 20 devices at once in each file, which fill the machine by themselves. */
const FAULTS = { inFull: true, hasMore: true, by: 'test:faults', isAloneWhenWhole: true };

/**
 * `name`: the folder in test/. `files`, `without`: of its test files only these, or all others. `inFull`: `npm test` does not
 * play it. `hasMore`: a full run plays more rounds of it. `by`: the command that plays it alone. `isAloneWhenWhole`: that one has one
 * worker. `isTimeless`: nothing in it is held against the clock, so a full run plays it behind the emulated machines, which leave half of the
 * processors alone.
 */
export const PARTS = [
  { name: 'unit', without: [...LATE, ...LONG.unit], workers: 2 },
  // These wait more than they compute.
  { name: 'contract', without: [...OF_NODES, ...LONG.contract], workers: 3 },
  { name: 'integration', without: LONG.integration, workers: 3 },
  { name: 'generated', workers: 2 },
  { name: 'e2e', label: 'e2e, the way of a command', files: TIMED_WAY, workers: 1 },
  { name: 'e2e', label: 'e2e, a way for each other program', files: WAYS, workers: 3 },
  {
    name: 'e2e',
    label: 'e2e, the others',
    without: [...TIMED_WAY, ...WAYS, ...TIMED, ...CLUSTER],
    workers: 4,
    inFull: true,
  },
  { name: 'e2e', label: 'e2e, by the clock', files: TIMED, workers: 2, inFull: true },
  { name: 'contract', label: 'contract, PostgreSQL and NATS', files: OF_NODES, workers: 3, inFull: true },
  { name: 'unit', label: 'unit, by the clock', files: LATE, workers: 1, inFull: true },
  { name: 'unit', label: 'unit, the long ones', files: LONG.unit, workers: 2, inFull: true, isTimeless: true },
  { name: 'contract', label: 'contract, the long ones', files: LONG.contract, workers: 2, inFull: true },
  { name: 'integration', label: 'integration, the long ones', files: LONG.integration, workers: 3, inFull: true },
  { name: 'e2e', label: 'e2e, several servers', files: CLUSTER, workers: 1, inFull: true },
  { name: 'simulation', label: 'simulation, deliberate faults', workers: 2, inFull: true, isTimeless: true },
  // A browser.
  { name: 'browser', workers: 2, inFull: true, by: 'test:browser' },
  // Root and Debian packages.
  { name: 'faults', label: 'faults that wait', files: WAITING, workers: 3, ...FAULTS },
  { name: 'faults', label: 'faults, the others', without: WAITING, workers: 1, ...FAULTS },
  // A machine each; two at once make each other so late that nothing can be said of their times. Half a gigabyte of downloads, and
  // minutes of starts.
  { name: 'hardware-vm', workers: 1, inFull: true, by: 'test:hardware', reporters: LIVE },
];
/** I4's real bounds. It runs alone, after everything else. */
export const QUIET = { name: 'quiet', workers: 1, inFull: true, by: 'test:quiet' };
/** Root, a Debian made for it, and half an hour of boots, or four times that on a busy machine. */
export const IMAGE = {
  name: 'image',
  workers: 1,
  isAlone: true,
  limitMs: 3 * 60 * 60_000,
  by: 'test:image',
  reporters: LIVE,
};
/** Seeds of the simulation; `npm run test:simulation` plays 5,000. */
export const SEEDS = { normal: 60, full: 500 };

export const labelOf = ({ name, label }) => label ?? name;

/** The options by which Jest plays the files of a part. */
export function filesOf({ name, files, without }) {
  const root = ['--roots', join(ROOT, 'test/dist', name)];
  if (files) return [...root, '--testMatch', ...files.map((file) => `**/${name}/${file}.test.js`)];
  if (!without) return root;
  return [...root, '--testPathIgnorePatterns', ...without.map((file) => `/${name}/${file}\\.test\\.js$`)];
}

/** A suite that is not written yet is no fault. */
export function hasTests({ name }) {
  const folder = join(ROOT, 'test', name);
  return existsSync(folder) && readdirSync(folder, { recursive: true }).some((file) => file.endsWith('.test.ts'));
}
