/**
 * T4: the power goes while somebody works at a linked device: settings, PIN, a lock, the proof, outputs; at a random moment,
 * and before each of the steps that such a deed takes at the disk. What was not synced is lost (EXT4_IOC_SHUTDOWN).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { HistoryReply } from '@relaygate/device-agent/agent/technician/local-messages/history';
import type { HistoryEntry } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { SeededChance } from '../support/chance/seeded-chance';
import { CardDevice } from '../support/faults/card-device';
import { DEED_KINDS, type DeedKind, Deeds } from '../support/faults/deeds';
import { ext4ImageMissing } from '../support/faults/ext4-image';
import { elapsedMs, Fault, PLAY_LIMIT_MS, SHORT, type Times } from '../support/faults/fault';
import { Site } from '../support/faults/site';
import { describeWhere } from '../support/processes/needs';
import { toldEntriesIn } from '../support/server/command-log';
import { eventually, pause } from '../support/time/waiting';

const AT_ONCE = 2;
const PAGE = 100;
const STEPS_FILE = require.resolve('../support/faults/stop-at-step');
const TOLD_WITHIN_MS = 20_000;
const SETTLE_MS = 300;

/** An append to the history is 3 of them, a file's replacement 8 (platform/durable-files.ts). */
const STEPS: Readonly<Record<DeedKind, number>> = { output: 11, pin: 11, lock: 11, proof: 11, set: 3 };
/** The power goes before that step; the last one of each kind is over by then. */
const CUTS = DEED_KINDS.flatMap((kind) =>
  Array.from({ length: STEPS[kind] + 1 }, (_, stepsDone) => ({ kind, stopAt: stepsDone + 1 })),
);
const EACH: Times = { few: 5, full: CUTS.length };
/** A part of them is spread over all kinds; no divisor of their number. */
const STRIDE = 11;

const fault = (): Fault => new Fault('T4', 'power loss while files are written', 'running again');
let site: Site;

/** What a device does before its power goes; resolves when it is gone. */
type Working = (device: CardDevice, deeds: Deeds) => Promise<void>;

/** Resolves with how long the second boot took. */
async function play(work: Working, agentEnv: Readonly<Record<string, string>> = {}): Promise<number> {
  const device = await CardDevice.provisioned(site);
  try {
    await device.boot('first', agentEnv);
    await device.untilLinked();
    const deeds = new Deeds(device);
    await work(device, deeds);

    await deeds.expectFiles();
    const startMs = monotonicNowMs();
    await device.boot('second');
    const bootedMs = elapsedMs(startMs);
    expect(device.complaints).toBe('');
    expect(readdirSync(device.dataDir).filter((name) => name.includes('corrupt'))).toEqual([]);
    await deeds.expectFiles();
    const entries = await entriesOf(device);
    deeds.expectHistory(entries);
    await device.untilLinked();
    await expectToldOnce(device.productLogin, entries);
    return bootedMs;
  } finally {
    await device.remove();
  }
}

/** The device's whole history. */
async function entriesOf(device: CardDevice): Promise<HistoryEntry[]> {
  const all: HistoryEntry[] = [];
  for (;;) {
    const beforeSeq = all[0] ? { beforeSeq: all[0].seq } : {};
    const { entries, faults } = (await device.ask('history', { limit: PAGE, ...beforeSeq })) as HistoryReply;
    expect(faults).toEqual([]);
    all.unshift(...entries);
    if (entries.length === 0 || all[0]?.seq === 1) return all;
  }
}

/** The audit gets each entry, once, and none that the device does not know any more. */
async function expectToldOnce(productLogin: string, entries: readonly HistoryEntry[]): Promise<void> {
  const told = () => toldEntriesIn(site.databaseFile, productLogin);
  await eventually(() => told().length >= entries.length, TOLD_WITHIN_MS);
  expect(told().map(({ seq, kind }) => [seq, kind])).toEqual(entries.map(({ seq, kind }) => [seq, kind]));
  expect(new Set(told().map(({ historyId }) => historyId)).size).toBeLessThanOrEqual(1);
}

describeWhere(ext4ImageMissing())('the power goes while somebody works at a device', () => {
  beforeAll(async () => {
    site = await Site.start({ pairs: 0 });
  }, 60_000);
  afterAll(() => site?.stop());

  test(
    'T4: at a random moment: old or new, what was confirmed is there, and each deed is in the audit once (I5, I8)',
    () =>
      fault().playAlone(SHORT, AT_ONCE, (chance) =>
        play(async (device, deeds) => {
          await deeds.clickAll();
          const working = DEED_KINDS.map(async (kind): Promise<never> => {
            for (;;) await deeds.do(kind);
          });
          const ended = Promise.allSettled(working);
          await pause(chance.between(0, 400));
          deeds.end();
          await device.losePower({ isStopped: true });
          // None was refused: each was done until the device was gone.
          for (const end of await ended)
            expect(end).toMatchObject({
              reason: { message: expect.stringMatching(/^confirmed too late$|^The agent /) },
            });
        }),
      ),
    PLAY_LIMIT_MS,
  );

  test(
    'T4: before each step of each deed: the same',
    () => {
      let next = new SeededChance().between(0, CUTS.length - 1);
      return fault().playAlone(EACH, AT_ONCE, async () => {
        const { kind, stopAt } = CUTS[next % CUTS.length] ?? { kind: 'set', stopAt: 1 };
        next += STRIDE;
        const cut = async (device: CardDevice, deeds: Deeds): Promise<void> => {
          if (kind === 'proof') await deeds.clickAll();
          const isCut = await isCutOff(device, () => deeds.do(kind));
          expect({ kind, stopAt, isCut }).toEqual({ kind, stopAt, isCut: stopAt <= STEPS[kind] });
          deeds.end();
          await device.losePower({ isStopped: true });
        };
        try {
          return await play(cut, { NODE_OPTIONS: `--require ${STEPS_FILE}`, STOP_AT_STEP: String(stopAt) });
        } catch (error) {
          throw new Error(`${kind}, before step ${stopAt}: ${(error as Error).message}`, { cause: error });
        }
      });
    },
    PLAY_LIMIT_MS,
  );
});

/** False: the deed was confirmed before the agent came to that step. */
async function isCutOff(device: CardDevice, deed: () => Promise<void>): Promise<boolean> {
  // What its start and its first link have written is on the card by now.
  await pause(SETTLE_MS);
  device.agent.kill('SIGUSR2');
  await device.agent.line(/steps are counted/);
  let isConfirmed = false;
  deed().then(
    () => {
      isConfirmed = true;
    },
    // Its answer is lost with the power.
    () => {},
  );
  await eventually(() => isConfirmed || isStopped(device.agent.pid));
  return !isConfirmed;
}

/** By a signal. */
function isStopped(pid: number): boolean {
  return /^State:\tT/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}
