// Inside the emulated machine: drives a line and watches inputs of the GPIO simulator by the device's own driver, moves the
// inputs past it, and prints what it was told.   node --expose-gc watch-inputs.cjs KIND CHIP LINE INPUT INPUT
const { readdirSync, writeFileSync } = require('node:fs');
const DIST = '/opt/relaygate/device-agent/dist';
const { preciseClock } = require(`${DIST}/platform/precise-clock.js`);

const SIM = '/sys/devices/platform/gpio-sim.0';
const CALM_EDGES = 20;
const FLAPS = 3_000;
const OTHER_EDGES = 30;

const [kind, chip, line, ...inputs] = process.argv.slice(2);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const nowMs = () => preciseClock.nowMs();

const folder = readdirSync(SIM).find((name) => name.startsWith('gpiochip'));
const files = inputs.map((input) => `${SIM}/${folder}/sim_gpio${input}/pull`);
const set = (input, level) => writeFileSync(files[input], level === 'high' ? 'pull-up' : 'pull-down');

/** KIND, as in settings.json. */
const boards = {
  gpio(options) {
    const { GpioBoard } = require(`${DIST}/relay/gpio-board.js`);
    const { kernelGpio } = require(`${DIST}/relay/kernel-gpio.js`);
    return new GpioBoard({ kernel: kernelGpio(), ...options });
  },
  'gpio-sysfs'(options) {
    const { SysfsBoard } = require(`${DIST}/relay/sysfs-board.js`);
    const { onoffGpio } = require(`${DIST}/relay/onoff-gpio.js`);
    // No guard is after these lines.
    const lock = async () => ({ release: async () => {} });
    return new SysfsBoard({ gpio: onoffGpio(), lock, slackClock: preciseClock, ...options });
  },
};

function heapBytes() {
  global.gc();
  return process.memoryUsage().heapUsed;
}

async function main() {
  const told = [];
  let flapping = { count: 0, last: null };
  let isFlapping = false;
  const hear = (edge) => {
    if (isFlapping && edge.input === 0) flapping = { count: flapping.count + 1, last: edge.level };
    else told.push({ ...edge, toldMs: nowMs() });
  };
  const board = boards[kind]({
    clock: preciseClock,
    chip,
    offsets: [Number(line)],
    inputs: inputs.map((input) => ({ line: Number(input), bias: 'pull-down' })),
    watched: [0, 1],
  });
  for (const input of inputs.keys()) set(input, 'low');
  await board.open({ lost() {}, back() {}, edges: (edges) => edges.forEach(hear) });
  await pause(200);
  const early = told.splice(0).length;

  const calm = [];
  for (let n = 1; n <= CALM_EDGES; n += 1) {
    const level = n % 2 === 1 ? 'high' : 'low';
    const fromMs = nowMs();
    set(1, level);
    const toMs = nowMs();
    await pause(50);
    calm.push({ level, fromMs, toMs, read: (await board.readInput(1)).level, told: told.splice(0) });
  }

  const heapBefore = heapBytes();
  isFlapping = true;
  let others = 0;
  let failedOrders = 0;
  let longestOrderMs = 0;
  const startMs = nowMs();
  for (let n = 1; n <= FLAPS; n += 1) {
    set(0, n % 2 === 1 ? 'high' : 'low');
    if (n % (FLAPS / OTHER_EDGES) === 0) {
      others += 1;
      const level = others % 2 === 1 ? 'high' : 'low';
      set(1, level);
      const orderedMs = nowMs();
      const { kind } = await board.drive({ line: 0, level, notAfterMs: null });
      longestOrderMs = Math.max(longestOrderMs, nowMs() - orderedMs);
      if (kind !== 'driven') failedOrders += 1;
    }
    // Timers here are of 1 ms at least; under emulation a turn takes longer.
    await pause(1);
  }
  const flapMs = nowMs() - startMs;
  set(0, 'high');
  await pause(500);
  isFlapping = false;
  const seen = told.splice(0).map(({ level }) => level);
  const heapGrowth = heapBytes() - heapBefore;

  await board.close([0]);
  set(0, 'low');
  set(1, 'high');
  await pause(100);
  const late = told.length;
  const flaps = { count: FLAPS + 1, ms: flapMs, told: flapping.count, last: flapping.last };
  console.log(JSON.stringify({ early, calm, flaps, others: seen, failedOrders, longestOrderMs, heapGrowth, late }));
}

void main();
