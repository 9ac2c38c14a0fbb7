/** The card image, made by the real tools, in an emulated Raspberry Pi 3 (`npm run test:image`). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { report } from '../hardware-vm/checks/report';
import { Companion } from '../hardware-vm/machine/companion';
import { proveByPage } from '../support/device/prove-by-page';
import { TlsBrowser } from '../support/device/tls-browser';
import { describeWhere } from '../support/processes/needs';
import { Card } from './card';
import { EmulatedPi, PATIENT_GUARD_S, SHIPPED_GUARD_S } from './emulated-pi';
import { LIMIT_MS } from './progress';

const IMAGE = process.env.RELAYGATE_IMAGE;
/** A profile that no device has: it travels with the card. */
const OWN_PROFILE = {
  name: 'own-relays',
  title: 'Four relays of our own',
  source: 'This test',
  verified: false,
  notes: [],
  kind: 'gpio',
  activeLevel: 'high',
  relays: [16, 12, 25, 24].map((bcm, n) => ({ label: `K${n + 1}`, bcm })),
};
const PINS = OWN_PROFILE.relays.map(({ bcm }) => bcm);
const [, LIGHT_PIN = 0, GATE_PIN = 0] = PINS;
const ALL_LOW = PINS.map(() => 'low');
const OUTPUTS = [
  { name: 'heating', mode: 'on-off' },
  { name: 'light', mode: 'on-off' },
  { name: 'gate', mode: 'impulse', pulseMs: 600_000 },
];
/** Nobody is there: whether this machine reaches a time server is not to be seen in what the card says. */
const NO_TIME_SERVER = '10.0.2.99';
/** The card's clock begins where its package was built; the server's certificate is older than that. */
const CERTIFICATE_AGE_DAYS = 60;
const IDLE_SECONDS = 60;
/** A PIN's hash takes seconds on a Raspberry Pi, and minutes here. */
const PHONE_MS = 10 * 60_000;
/** What a watch of pins waits: no emulated machine is that slow. */
const EDGE_MS = 10 * 60_000;
/**
 * I4 on a real device: 1 s after a killed guard, 3 s after one that hangs; the quiet suite judges that. Here up to 35 s were seen:
 * `outputs-off` starts a dozen small programs, seconds each. The next guard comes later still.
 */
const EMULATED_OFF_S = 60;

jest.setTimeout(2 * LIMIT_MS);
describeWhere(IMAGE === undefined ? 'no image was built (npm run test:image)' : undefined)('the card image', () => {
  let card: Card;
  let companion: Companion;
  let pi: EmulatedPi;
  let hasLinked = false;

  beforeAll(async () => {
    companion = await Companion.start(PINS.length, CERTIFICATE_AGE_DAYS);
    const profiles = mkdtempSync(join(tmpdir(), 'rg-profiles-'));
    try {
      writeFileSync(join(profiles, `${OWN_PROFILE.name}.json`), JSON.stringify(OWN_PROFILE));
      const board = ['--profiles', profiles, '--board', OWN_PROFILE.name];
      const options = [...board, '--web-for', '8h', '--time-servers', NO_TIME_SERVER];
      card = await Card.prepareFor(companion, String(IMAGE), { '--outputs-file': JSON.stringify(OUTPUTS) }, options);
    } finally {
      rmSync(profiles, { recursive: true, force: true });
    }
    pi = await EmulatedPi.switchOn(card);
  });
  afterAll(async () => {
    await pi?.cutOff();
    card?.remove();
    await companion?.stop();
  });

  /** What a device that does not link says of itself is told. */
  const untilLinked = async (): Promise<void> => {
    const startMs = performance.now();
    try {
      await pi.until(async () => (await companion.state()).connected, 'the link');
    } catch (error) {
      await pi.untilShell();
      report((await pi.shell.try('systemctl --failed --no-pager; journalctl --boot --no-pager --lines 80')).output);
      throw error;
    }
    hasLinked = true;
    report(`linked after ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
    await pi.untilShell();
  };

  /** A device that was never linked is waited for once. */
  const needsLink = (): void => {
    if (!hasLinked) throw new Error('it has never linked: see the first test');
  };
  const expectMovesLight = async (): Promise<void> => {
    expect((await companion.set(1, 1)).text).toBe('OK');
    expect(await pi.pins.look(...PINS)).toEqual(['low', 'high', 'low', 'low']);
    expect((await companion.set(1, 0)).text).toBe('OK');
    expect(await pi.pins.look(...PINS)).toEqual(ALL_LOW);
  };
  /** The output is off, and was so: one that was switched off here could be so by a command whose answer came too late. */
  const untilAnswered = (numOutput: number): Promise<void> =>
    pi.until(async () => (await companion.set(numOutput, 0)).text === '{"already_set":true}', 'an answer');
  const guardState = async (): Promise<string> =>
    (await pi.shell.run('systemctl show --property SubState --value relaygate-guard')).trim();
  const guardPid = async (): Promise<number> =>
    Number(await pi.shell.run('systemctl show --property MainPID --value relaygate-guard'));

  test('boots, takes the settings of its site over, enrols and links', async () => {
    await untilLinked();
    expect(await pi.shell.run('systemctl is-active relaygate-guard relaygate-agent')).toBe('active\nactive\n');
    expect(await pi.pins.look(...PINS)).toEqual(ALL_LOW);
  });

  test('drives the lines of the board profile that travelled with the card', async () => {
    needsLink();
    const { board } = JSON.parse(await pi.shell.run('cat /var/lib/relaygate/settings.json'));
    expect(board).toEqual({ kind: 'gpio', profile: OWN_PROFILE.name, lines: PINS });
  });

  test('refuses calls until somebody with a phone and the PIN of its label has proven the wiring', async () => {
    needsLink();
    expect((await companion.set(1, 1)).status).toBe(504);
    await pi.until(() => card.status.includes('PAGE ON'), 'the page');
    expect(card.status).toMatch(/^NOT PROVEN: /m);
    expect(await card.completeLabel()).toMatchObject({ code: 0 });
    const phone = new TlsBrowser(pi.pagePort, PHONE_MS);
    // Who is as slow as this machine may be hung up on, and tries again.
    const logsIn = async (): Promise<boolean> => (await phone.logIn(card.pin, 'Ada')).status === 200;
    await pi.until(() => logsIn().catch(() => false), 'the log-in');
    expect(card.label).toContain(`>page ${(await phone.fingerprint()).slice(0, 48)}<`);
    const clicks = pi.pins.watch(PINS);
    expect(await proveByPage(phone, 'Ada')).toMatchObject({ result: 'proven' });
    const clicked = new Set((await clicks.stop()).map(({ pin }) => pin));
    expect([...clicked].sort()).toEqual([...PINS].sort());
  });

  test('a call moves a pin that is read from outside, and no other', async () => {
    needsLink();
    await expectMovesLight();
  });

  test('nobody can reach it any more, once the page is off: it listens on no port', async () => {
    needsLink();
    const ports = 'ss --no-header --listening --tcp --udp --numeric';
    expect(await pi.shell.run(ports)).toMatch(/^tcp .*:8443 .*\n$/);
    await pi.shell.run('relayctl web off');
    expect(await pi.shell.run(ports)).toBe('');
  });

  test('the boot partition holds no secret any more, and says in words how the device is', async () => {
    needsLink();
    expect(card.read('relaygate-site.json')).not.toContain(companion.enrolmentCode);
    expect(card.read('relaygate-site.json')).toMatch(/"enrolmentCode": "\(kept\)",\n {2}"pin": "\(kept\)"/);
    const isAtWork = (): boolean =>
      /^LINKED to [\s\S]*^CLOCK NOT SET: /m.test(card.status) && !/PROVEN|PAGE/.test(card.status);
    await pi.until(isAtWork, 'the words for a device at work');
  });

  test('idle, it writes nothing to its card', async () => {
    needsLink();
    const written = `awk '$3 ~ /^mmcblk[0-9]+$/ {print $10}' /proc/diskstats`;
    // What has just been written comes to rest first.
    const [before, after] = (await pi.shell.run(`sync; sleep 40; ${written}; sleep ${IDLE_SECONDS}; sync; ${written}`))
      .trim()
      .split('\n');
    expect(before).toMatch(/^\d+$/);
    expect(after).toBe(before);
  });

  test('the clock shows at least when the card was made, and all of Debian is read-only', async () => {
    needsLink();
    const [shown, made] = (await pi.shell.run('date +%s; stat -c %Y /usr/lib/clock-epoch')).trim().split('\n');
    expect(Number(shown)).toBeGreaterThanOrEqual(Number(made));
    expect((await pi.shell.try('touch /usr/anything')).output).toMatch(/Read-only file system/);
  });

  test('a guard that hangs is killed by its watchdog, and no relay stays on (I4)', async () => {
    needsLink();
    const before = await guardPid();
    expect((await companion.set(1, 1)).text).toBe('OK');
    const watch = pi.pins.watch([LIGHT_PIN]);
    const stoppedMs = performance.now();
    await pi.shell.run(`kill -STOP ${before}`);
    await watch.until(1, EDGE_MS);
    // Its watchdog is patient here; what is beside it counts.
    const offS = (performance.now() - stoppedMs) / 1000 - PATIENT_GUARD_S + SHIPPED_GUARD_S;
    report(`off ${offS.toFixed(1)} s after its guard was stopped, had its watchdog been the shipped one`);
    expect(offS).toBeLessThan(EMULATED_OFF_S);
    await pi.until(
      async () => ![0, before].includes(await guardPid()) && (await guardState()) === 'running',
      'the guard',
    );
    expect((await watch.stop()).map(({ drive }) => drive)).not.toContain('high');
    expect(await pi.shell.run('journalctl --no-pager --unit relaygate-guard --output cat')).toMatch(/watchdog/i);
    await untilAnswered(1);
    await expectMovesLight();
  });

  test('a guard that somebody has stopped stays so when settings change; one without settings starts with them', async () => {
    needsLink();
    const settings = '/var/lib/relaygate/settings.json';
    const changed = `cp -p ${settings} ${settings}.copy && mv ${settings}.copy ${settings}`;
    const noticed = 'systemctl show --property ExecMainExitTimestampMonotonic --value relaygate-settings.service';
    const untilNoticed = async (before: string): Promise<void> =>
      pi.until(async () => (await pi.shell.run(noticed)) !== before, 'the notice of settings');

    await pi.shell.run('systemctl stop relaygate-guard');
    let before = await pi.shell.run(noticed);
    await pi.shell.run(changed);
    await untilNoticed(before);
    expect(await guardState()).toBe('dead');

    await pi.shell.run(`mv ${settings} ${settings}.away; systemctl start relaygate-guard`);
    expect(await guardState()).toBe('dead');
    before = await pi.shell.run(noticed);
    await pi.shell.run(`mv ${settings}.away ${settings}`);
    await untilNoticed(before);
    await pi.until(async () => (await guardState()) === 'running', 'the guard');
    await untilAnswered(1);
  });

  test('an orderly reboot switches its relays off first', async () => {
    needsLink();
    expect((await companion.set(1, 1)).text).toBe('OK');
    const watch = pi.pins.watch([LIGHT_PIN]);
    pi.shell.order('systemctl reboot');
    await watch.until(1, EDGE_MS);
    let hasEnded = false;
    void pi.ended.then(() => {
      hasEnded = true;
    });
    await pi.until(() => hasEnded, 'the reset');
    await pi.cutOff();
  });

  test('after that, and after a power cut in the middle of the boot, it links by itself and remembers its proof', async () => {
    needsLink();
    pi = await EmulatedPi.switchOn(card);
    // Its systemd is at work.
    await pi.untilShell();
    await pi.cutOff();
    // From here on as a kernel that keeps outputs.
    pi = await EmulatedPi.switchOn(card, { keepsOutputs: true });
    await untilLinked();
    await untilAnswered(1);
    await expectMovesLight();
  });

  test('a guard that is killed leaves no relay on: outputs-off drives what the kernel has kept (I4)', async () => {
    needsLink();
    const before = await guardPid();
    expect((await companion.set(2, 1)).text).toBe('OK');
    expect(await pi.pins.look(GATE_PIN)).toEqual(['high']);
    const watch = pi.pins.watch([GATE_PIN]);
    const killedMs = performance.now();
    await pi.shell.run(`kill -KILL ${before}`);
    await watch.until(1, EDGE_MS);
    const offS = (performance.now() - killedMs) / 1000;
    report(`off ${offS.toFixed(1)} s after its guard was killed`);
    expect(offS).toBeLessThan(EMULATED_OFF_S);
    // No other program was there that could have done it.
    expect(['stop-post', 'auto-restart']).toContain(await guardState());
    expect((await watch.stop()).map(({ drive }) => drive)).not.toContain('high');
    await pi.until(async () => (await guardState()) === 'running', 'the guard');
    await untilAnswered(0);
    expect(await pi.pins.look(...PINS)).toEqual(ALL_LOW);
  });
});
