import { describe, expect, test } from '@jest/globals';
import { FactoryReset } from '@relaygate/device-agent/files/factory-reset';
import { refuseHalfReset } from '@relaygate/device-agent/files/reset-mark';
import { MemoryFiles } from '../../../support/device/memory-files';

/** A disk that loses its power after so many changes. */
class MortalFiles extends MemoryFiles {
  changesLeft = Number.POSITIVE_INFINITY;

  override async replace(path: string, text: string): Promise<void> {
    this.#spend();
    await super.replace(path, text);
  }

  override async remove(path: string): Promise<void> {
    this.#spend();
    await super.remove(path);
  }

  #spend(): void {
    if (this.changesLeft <= 0) throw new Error('no power');
    this.changesLeft -= 1;
  }
}

const DEVICE = {
  '/data/settings.json': '{}',
  '/data/identity.json': 'the key',
  '/data/identity.json.new': 'half a key',
  '/data/pin.json': '{}',
  '/data/web-certificate.json': 'a key',
  '/data/hotspot.json': '{}',
  '/data/history.jsonl': '{}',
  '/data/history.jsonl.corrupt-1': '{',
  '/data/history.jsonl.corrupt-2': '{',
  '/data/locks.json': '{}',
  '/data/proof.json': '{}',
  '/data/state.json': '{}',
  '/data/last-good-time.json': '{}',
  '/data/enrolment-code': 'ABCD',
  '/data/site.json': '{}',
  '/data/wifi.nmconnection': 'psk=secret',
  '/data/wifi.nmconnection.new': 'psk=sec',
  '/data/server-ca.pem': 'a certificate',
  '/data/server-ca-2.pem': 'a certificate',
  '/data/board.json': '{}',
};

function device(): MortalFiles {
  const files = new MortalFiles();
  for (const [path, text] of Object.entries(DEVICE)) files.texts.set(path, text);
  return files;
}

async function reset(files: MortalFiles): Promise<void> {
  const begun = new FactoryReset(files, '/data');
  await begun.begin('a test');
  await begun.finish();
}

describe('a factory reset', () => {
  test('leaves nothing but the board', async () => {
    const files = device();
    await reset(files);
    expect([...files.texts.keys()]).toEqual(['/data/board.json']);
  });

  test('of a device that has nothing is no error', async () => {
    const files = new MortalFiles();
    await reset(files);
    expect(files.texts.size).toBe(0);
  });

  test('takes what opens something elsewhere before all else, so that no cut leaves it behind for the rest', async () => {
    const files = device();
    await reset(files);
    const removed = files.log.flatMap((line) => /^remove \/data\/([\w.-]+?)(\.new)?$/.exec(line)?.[1] ?? []);
    const places = (names: readonly string[]): number[] => names.map((name) => removed.lastIndexOf(name));
    const secrets = ['identity.json', 'wifi.nmconnection', 'pin.json', 'web-certificate.json', 'enrolment-code'];
    const others = ['history.jsonl', 'locks.json', 'proof.json', 'site.json', 'state.json', 'settings.json'];
    expect(Math.min(...places([...secrets, ...others]))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...places(secrets))).toBeLessThan(Math.min(...places(others)));
    expect(removed.slice(-1)).toEqual(['reset-begun.json']);
    expect(places(['settings.json'])).toEqual([Math.max(...places(others))]);
  });

  test('wipes nothing before its mark is durable: the agent that wrote it may have died before that', async () => {
    const files = device();
    await new FactoryReset(files, '/data').begin('a test');
    files.log.length = 0;
    files.failing.set('/data/reset-begun.json', 'EIO');
    await expect(new FactoryReset(files, '/data').finish()).rejects.toThrow('EIO');
    expect(files.log).toEqual([]);
  });

  test('cut short at any moment leaves the old device, or one that finishes it', async () => {
    const whole = device();
    await reset(whole);
    const changes = whole.log.length;
    expect(changes).toBeGreaterThan(10);
    for (let survived = 0; survived < changes; survived += 1) {
      const files = device();
      files.changesLeft = survived;
      await expect(reset(files)).rejects.toThrow('no power');
      files.changesLeft = Number.POSITIVE_INFINITY;
      const next = new FactoryReset(files, '/data');
      if (await next.isBegun()) {
        await expect(refuseHalfReset(files, '/data')).rejects.toMatchObject({
          message: expect.stringContaining('relaygate-agent'),
        });
        await next.finish();
        expect([...files.texts.keys()]).toEqual(['/data/board.json']);
      } else {
        expect(Object.fromEntries(files.texts)).toEqual(DEVICE);
        await refuseHalfReset(files, '/data');
      }
    }
  });
});
