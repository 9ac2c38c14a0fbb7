/** The card image, made by the real tools, in an emulated Raspberry Pi 3 (`npm run test:image`). */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { report } from '../hardware-vm/checks/report';
import { Companion } from '../hardware-vm/machine/companion';
import { eventually } from '../support/eventually';
import { describeWhere } from '../support/needs';
import { Card } from './card';
import { EmulatedPi } from './emulated-pi';

const IMAGE = process.env.RELAYGATE_IMAGE;
/** Of the profile generic-active-high. */
const PINS = [17, 27, 22, 23];
const OUTPUTS = [
  { name: 'heating', mode: 'on-off' },
  { name: 'light', mode: 'on-off' },
  { name: 'gate', mode: 'impulse', pulseMs: 20_000 },
];
/** The card's clock begins where its package was built; the server's certificate is older than that. */
const CERTIFICATE_AGE_DAYS = 60;
const BOOT_MS = 8 * 60_000;
const SETTLED_MS = 4 * 60_000;
const IDLE_SECONDS = 60;

/** What a device that does not link says of itself. */
async function diagnosis({ shell }: EmulatedPi): Promise<string> {
  await shell.open(SETTLED_MS);
  return (await shell.try('systemctl --failed --no-pager; journalctl --boot --no-pager --lines 80')).output;
}

jest.setTimeout(BOOT_MS + SETTLED_MS);
describeWhere(IMAGE === undefined ? 'no image was built (npm run test:image)' : undefined)('the card image', () => {
  let card: Card;
  let companion: Companion;
  let pi: EmulatedPi;

  beforeAll(async () => {
    companion = await Companion.start(PINS.length, CERTIFICATE_AGE_DAYS);
    card = new Card(String(IMAGE));
    const { link, certificate, enrolmentCode } = companion;
    const board = { profile: 'generic-active-high' };
    card.write(
      'relaygate-site.json',
      JSON.stringify({
        ...link,
        caCertificate: certificate,
        enrolmentCode,
        board,
        outputs: OUTPUTS,
        requireProof: false,
      }),
    );
    pi = await EmulatedPi.switchOn(card);
  }, BOOT_MS);
  afterAll(async () => {
    await pi?.cutOff();
    card?.remove();
    await companion?.stop();
  });

  const untilLinked = async (): Promise<void> => {
    const startMs = performance.now();
    try {
      await companion.untilConnected(BOOT_MS);
    } catch (error) {
      report(await diagnosis(pi));
      throw error;
    }
    report(`linked after ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
    await pi.shell.open(SETTLED_MS);
  };

  test('boots, takes the settings of its site over, enrols and links', async () => {
    await untilLinked();
    expect(await pi.shell.run('systemctl is-active relaygate-guard relaygate-agent')).toBe('active\nactive\n');
  });

  test('a call moves a pin that is read from outside, and no other', async () => {
    expect(await pi.pins.look(...PINS)).toEqual(['low', 'low', 'low', 'low']);
    expect((await companion.set(1, 1)).text).toBe('OK');
    expect(await pi.pins.look(...PINS)).toEqual(['low', 'high', 'low', 'low']);
    expect((await companion.set(1, 0)).text).toBe('OK');
    expect(await pi.pins.look(...PINS)).toEqual(['low', 'low', 'low', 'low']);
  });

  test('the boot partition holds no secret any more, and says in words how the device is', async () => {
    expect(card.read('relaygate-site.json')).not.toContain(companion.enrolmentCode);
    await eventually(() => /^LINKED to/m.test(card.read('relaygate-status.txt') ?? ''), SETTLED_MS);
  });

  test('the clock shows at least when the card was made, and all of Debian is read-only', async () => {
    const [shown, made] = (await pi.shell.run('date +%s; stat -c %Y /usr/lib/clock-epoch')).trim().split('\n');
    expect(Number(shown)).toBeGreaterThanOrEqual(Number(made));
    expect((await pi.shell.try('touch /usr/anything')).output).toMatch(/Read-only file system/);
  });

  test('nobody can reach it: it listens on no port', async () => {
    expect(await pi.shell.run('ss --no-header --listening --tcp --udp --numeric')).toBe('');
  });

  test('idle, it writes nothing to its card', async () => {
    const written = `awk '$3 ~ /^mmcblk[0-9]+$/ {print $10}' /proc/diskstats`;
    // What has just been written comes to rest first.
    const [before, after] = (await pi.shell.run(`sync; sleep 40; ${written}; sleep ${IDLE_SECONDS}; sync; ${written}`))
      .trim()
      .split('\n');
    expect(after).toBe(before);
  });

  describe('faults', () => {
    const guardPid = async (): Promise<number> =>
      Number(await pi.shell.run('systemctl show --property MainPID --value relaygate-guard'));
    const startPulse = async (): Promise<void> => {
      expect((await companion.set(2, 1)).text).toBe('OK');
      expect(await pi.pins.look(22)).toEqual(['high']);
    };
    const untilBack = async (before: number): Promise<void> => {
      await eventually(async () => ![0, before].includes(await guardPid()), SETTLED_MS);
      // Off as it began; one that was switched on here could be so by a command whose answer came too late.
      await eventually(async () => (await companion.set(0, 0)).text === '{"already_set":true}', SETTLED_MS);
      expect((await companion.set(0, 1)).text).toBe('OK');
      expect((await companion.set(0, 0)).text).toBe('OK');
      expect(await pi.pins.look(...PINS)).toEqual(['low', 'low', 'low', 'low']);
    };

    test('a guard that is killed leaves no relay on, before it runs again (I4)', async () => {
      const before = await guardPid();
      await startPulse();
      const watch = pi.pins.watch([22]);
      await pi.shell.run(`kill -KILL ${before}`);
      const killedMs = performance.now();
      await watch.until(1, SETTLED_MS);
      report(`off ${(performance.now() - killedMs).toFixed(0)} ms after its guard was killed`);
      const starting = await pi.shell.run('systemctl show --property SubState --value relaygate-guard');
      expect(starting).not.toBe('running\n');
      const edges = await watch.stop();
      expect(edges.map(({ drive }) => drive)).not.toContain('high');
      await untilBack(before);
    });

    test('a guard that hangs is killed by its watchdog (I4)', async () => {
      const before = await guardPid();
      await startPulse();
      await pi.shell.run(`kill -STOP ${before}`);
      await eventually(async () => (await pi.pins.look(22))[0] !== 'high', SETTLED_MS);
      const log = await pi.shell.run('journalctl --no-pager --unit relaygate-guard --output cat');
      expect(log).toMatch(/watchdog/i);
      await untilBack(before);
    });
  });

  test('after a reboot, and after a power cut in the middle of one, it links by itself', async () => {
    await pi.shell.run('sync');
    await pi.cutOff();
    pi = await EmulatedPi.switchOn(card);
    // Its systemd is at work.
    await pi.shell.open(BOOT_MS);
    await pi.cutOff();
    pi = await EmulatedPi.switchOn(card);
    await untilLinked();
    expect((await companion.set(1, 1)).text).toBe('OK');
    expect(await pi.pins.look(27)).toEqual(['high']);
  });
});
