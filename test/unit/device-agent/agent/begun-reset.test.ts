/** A factory reset that an agent before this one has begun, finished beside the guard of that time. */
import { beforeEach, expect, test } from '@jest/globals';
import { finishBegunReset } from '@relaygate/device-agent/agent/begun-reset';
import { FactoryReset } from '@relaygate/device-agent/files/factory-reset';
import { AgentInMemory, SETTINGS_PATH } from '../../../support/device/agent-in-memory';
import { errorWith } from '../../../support/device/error-with';
import { quietLog } from '../../../support/device/quiet-log';

const MARK = '/data/reset-begun.json';
let device: AgentInMemory;
let warnings: string[];
let isLocked: boolean;
beforeEach(async () => {
  device = new AgentInMemory();
  warnings = [];
  isLocked = false;
  await device.start();
  await device.localRequest('set', { numOutput: 0, state: 1 });
  device.stopAgent();
  await device.passed();
  device.files.texts.set(MARK, '{"by":"a test"}\n');
  device.files.log.length = 0;
});

const onLines = (): number[] => device.board.levels.flatMap((level, line) => (level === 'high' ? [line] : []));

/** `isGuardThere`: whether a guard has the data folder. */
function finish(isGuardThere = () => device.hasGuard): Promise<void> {
  return finishBegunReset({
    factoryReset: new FactoryReset(device.files, '/data'),
    dialGuard: device.dialGuard,
    lockGuardOut: async () => {
      if (isGuardThere()) return null;
      isLocked = true;
      return {
        async release() {
          isLocked = false;
        },
      };
    },
    clock: device.clock,
    log: { ...quietLog(), warn: (text) => void warnings.push(text) },
  });
}

/** What was on, and whether a guard could have started, whenever a file went. */
function watchWiping(): { on: number[]; isLocked: boolean }[] {
  const seen: { on: number[]; isLocked: boolean }[] = [];
  const remove = device.files.remove.bind(device.files);
  device.files.remove = async (path) => {
    seen.push({ on: onLines(), isLocked });
    await remove(path);
  };
  return seen;
}

test('has a guard that runs still switch everything off and end before anything is wiped', async () => {
  expect(onLines()).toEqual([0]);
  const seen = watchWiping();
  const finished = finish();
  await device.passed(1_000);
  await finished;
  expect(seen.length).toBeGreaterThan(10);
  expect(seen.filter((one) => one.on.length > 0 || !one.isLocked)).toEqual([]);
  expect(device.hasGuard).toBe(false);
  expect([device.files.texts.has(SETTINGS_PATH), device.files.texts.has(MARK), isLocked]).toEqual([
    false,
    false,
    false,
  ]);
});

test('waits for a guard that is still about to start, and then asks that one', async () => {
  device.killGuard();
  let isStarting = true;
  const finished = finish(() => isStarting || device.hasGuard);
  await device.passed(1_000);
  expect(device.files.texts.has(SETTINGS_PATH)).toBe(true);
  await device.startGuard();
  isStarting = false;
  const seen = watchWiping();
  await device.passed(1_000);
  await finished;
  expect(seen.filter((one) => one.on.length > 0)).toEqual([]);
  expect([device.hasGuard, device.files.texts.has(SETTINGS_PATH)]).toEqual([false, false]);
});

test('wipes nothing while a guard runs that does not answer, says so in time, and can be tried again', async () => {
  device.isGuardHung = true;
  device.isGuardDeaf = true;
  const failure = finish().catch((error) => error);
  await device.passed(20_000);
  expect(await failure).toMatchObject(errorWith('guard-unreachable', /relaygate-guard.*nothing more is wiped/i));
  expect(device.files.log).toEqual([]);
  expect([onLines(), device.files.texts.has(MARK), device.clock.pendingTimers]).toEqual([[0], true, 0]);

  device.isGuardHung = false;
  device.isGuardDeaf = false;
  const finished = finish();
  await device.passed(1_000);
  await finished;
  expect([onLines(), device.files.texts.has(SETTINGS_PATH)]).toEqual([[], false]);
});

test('goes on where the guard has ended and its board keeps a relay on: no guard would start any more to try again', async () => {
  device.board.answer = ({ line }) => (line === 0 ? { kind: 'failed', problem: 'stuck' } : null);
  const finished = finish();
  await device.passed(20_000);
  await finished;
  expect(warnings).toEqual([expect.stringContaining('output 0')]);
  expect([device.hasGuard, device.files.texts.has(SETTINGS_PATH)]).toEqual([false, false]);
});

test('lets guards start again where the disk does not take the wiping', async () => {
  device.killGuard();
  device.files.failing.set('/data/identity.json', 'EIO');
  await expect(finish()).rejects.toThrow('EIO');
  expect([isLocked, device.files.texts.has(MARK)]).toEqual([false, true]);
});
