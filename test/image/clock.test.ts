/** The clock of a card image whose server has a newer certificate than the image (`npm run test:image`). */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Companion } from '../hardware-vm/machine/companion';
import { describeWhere } from '../support/processes/needs';
import { FakeWallClock, fakeClockMissing } from '../support/time/fake-wall-clock';
import { TimeServer } from '../support/time/time-server';
import { Card } from './card';
import { EmulatedPi } from './emulated-pi';
import { LIMIT_MS } from './progress';

const IMAGE = process.env.RELAYGATE_IMAGE;
const DAY_MS = 86_400_000;
/** Newer than the card's clock, which begins where its package was built, by whatever that is old and the boot takes. */
const CERTIFICATE_AGE_DAYS = -1;
/** Of the time server and of the installer's laptop: there the certificate is valid. */
const AHEAD_DAYS = 2;
const AHEAD_MS = AHEAD_DAYS * DAY_MS;
/** How the emulated machine calls this one. */
const TIME_SERVER = '10.0.2.2';
/** What a second network of that machine names. */
const NAMED_BY_DHCP = '10.77.0.9';
/** A network in a namespace of that machine, with a DHCP server (option 42: time servers) of Debian's. */
const SECOND_NETWORK = `
  set -e
  ip netns add site
  ip link add rgveth type veth peer name site netns site
  ip -n site address add 10.77.0.1/24 dev site
  ip -n site link set site up
  ip netns exec site dnsmasq --conf-file=/dev/null --port=0 --interface=site --user=root --pid-file=/run/site.pid \
    --dhcp-leasefile=/run/site.leases --dhcp-range=10.77.0.50,10.77.0.60 --dhcp-option=42,${NAMED_BY_DHCP}
  nmcli device set rgveth managed yes
  nmcli connection add save no type ethernet ifname rgveth con-name rgveth autoconnect no ipv4.never-default yes ipv6.method disabled
  nmcli --wait 300 connection up rgveth`;

function missing(): string | undefined {
  if (IMAGE === undefined) return 'no image was built (npm run test:image)';
  return process.getuid?.() === 0 ? fakeClockMissing() : 'a time server takes root';
}

jest.setTimeout(2 * LIMIT_MS);
describeWhere(missing())('the clock of the card image', () => {
  let card: Card;
  let companion: Companion;
  let pi: EmulatedPi;
  let timeServer: TimeServer | undefined;

  beforeAll(async () => {
    companion = await Companion.start(4, CERTIFICATE_AGE_DAYS);
    const technician = ['--no-proof', '--no-pin'];
    const options = [...technician, '--board', 'generic-active-high', '--time-servers', TIME_SERVER];
    const laptop = new FakeWallClock();
    try {
      laptop.set(`+${AHEAD_DAYS}d`);
      card = await Card.prepareFor(companion, String(IMAGE), {}, options, laptop.env);
    } finally {
      laptop.remove();
    }
    pi = await EmulatedPi.switchOn(card);
  });
  afterAll(async () => {
    await pi?.cutOff();
    card?.remove();
    await timeServer?.stop();
    await companion?.stop();
  });

  const untilConnected = (isUp: boolean): Promise<void> =>
    pi.until(async () => (await companion.state()).connected === isUp, isUp ? 'the link' : 'the end of the link');
  const lastGoodTimeMs = async (): Promise<number> => {
    await pi.untilShell();
    return JSON.parse(await pi.shell.run('cat /var/lib/relaygate/last-good-time.json')).epochMs;
  };

  test('without a time server it says what must be done about a certificate that is newer than its clock', async () => {
    await pi.until(() => card.status.includes("NOT LINKED: The server's certificate is not valid yet"), 'the words');
    expect(card.status).toMatch(
      /Let the device out to a time server .* or name one .* in timeServers of relaygate-site\.json/,
    );
    expect(card.status).toContain('The clock of the device was not set when this was written.');
    expect((await companion.state()).connected).toBe(false);
  });

  test('with a time server it links by itself, knows that its clock is set, and keeps the time', async () => {
    timeServer = await TimeServer.start(AHEAD_MS);
    await untilConnected(true);
    expect(await lastGoodTimeMs()).toBeGreaterThan(Date.now() + AHEAD_MS - DAY_MS / 2);
    await pi.until(() => /^LINKED to /m.test(card.status), 'the words');
    expect(card.status).toMatch(/^Since \d{4}-/m);
    expect(card.status).not.toMatch(/CLOCK/);
  });

  test('without one again it links after a power cut, by the time that it has kept, and says that its clock is not set', async () => {
    const kept = await lastGoodTimeMs();
    await timeServer?.stop();
    timeServer = undefined;
    await pi.cutOff();
    pi = await EmulatedPi.switchOn(card);
    await untilConnected(false);
    await untilConnected(true);
    await pi.until(() => card.status.includes('CLOCK NOT SET: '), 'the words');
    expect(card.status).toContain('The clock of the device was not set when this was written.');
    expect(await lastGoodTimeMs()).toBeGreaterThanOrEqual(kept);
  });

  test('a network that names a time server is asked for the time, unless the site names its own', async () => {
    const asked = 'timedatectl show-timesync --property=SystemNTPServers --value';
    await pi.shell.run(SECOND_NETWORK);
    expect((await pi.shell.run(asked)).trim()).toBe(TIME_SERVER);
    await pi.shell.run('nmcli connection down rgveth; rm /run/systemd/timesyncd.conf.d/50-relaygate-site.conf');
    await pi.shell.run('nmcli --wait 300 connection up rgveth');
    await pi.until(async () => (await pi.shell.run(asked)).startsWith(`${NAMED_BY_DHCP} 0.debian`), 'the time server');
  });
});
