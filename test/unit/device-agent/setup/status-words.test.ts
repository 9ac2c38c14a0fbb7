import { describe, expect, test } from '@jest/globals';
import type { DeviceStatus } from '@relaygate/device-agent/agent/local-messages/device';
import { causeOfProblem, LINK_WORDS } from '@relaygate/device-agent/link/link-problem';
import { wifiStateOf } from '@relaygate/device-agent/setup/network-view';
import { type SetupView, statusWords, wordsBeforeStart } from '@relaygate/device-agent/setup/status-words';

const status = (problem: string | null, guardProblem: string | null = null): DeviceStatus => ({
  nowMs: 0,
  productLogin: 'gate-1',
  agentVersion: '1',
  link: {
    isUp: problem === null,
    serverUrl: 'wss://h',
    epoch: problem === null ? 3 : null,
    problem,
    cause: problem === null ? null : causeOfProblem(problem),
  },
  guard: { isReachable: guardProblem === null, problem: guardProblem },
  outputs: [],
  lastCommands: [],
  webLeftMs: null,
  faults: [],
});
const VIEW: SetupView = {
  siteProblem: null,
  hasSettings: true,
  site: null,
  status: status(null),
  network: { isConnected: true, wifi: 'unknown' },
};
const WIFI = {
  serverUrl: 'wss://h',
  productLogin: 'gate-1',
  board: { profile: 'x' },
  wifi: { ssid: 'Chez nous', country: 'FR' },
};
const words = (view: Partial<SetupView>): string | null => statusWords({ ...VIEW, ...view });

describe('the words of the status', () => {
  test('a device that is linked says so', () => {
    expect(words({})).toBe('Relaygate, product gate-1\n\nLINKED to wss://h.');
  });

  test('a wrong file is said with its member, and whether there are settings of before', () => {
    expect(words({ siteProblem: 'relaygate-site.json: wifi is wrong.' })).toMatch(
      /NOT TAKEN OVER: relaygate-site\.json: wifi is wrong\.\nThe device goes on with the settings of before\./,
    );
    expect(wordsBeforeStart({ siteProblem: 'x', hasSettings: false })).toMatch(/no settings yet/);
  });

  test('a new card says what to do', () => {
    expect(wordsBeforeStart({ siteProblem: null, hasSettings: false })).toMatch(/Put a file relaygate-site\.json/);
    expect(wordsBeforeStart({ siteProblem: null, hasSettings: true })).toBeNull();
  });

  test.each([
    [LINK_WORDS['name-unknown'], /name does not resolve\.\n.*typing error/],
    [LINK_WORDS['nothing-listens'], /nothing listens.*\n.*ask the server's operator/i],
    [LINK_WORDS.silent, /does not answer\.\n.*lets the device out/],
    [LINK_WORDS['not-accepted'], /refused this device.*\n.*make a new/],
    [LINK_WORDS.revoked, /revoked/],
    [LINK_WORDS.replaced, /card was copied/],
    [
      `${LINK_WORDS['not-trusted']} (self-signed certificate)`,
      /not trusted \(self-signed certificate\)\.\n.*caCertificate/,
    ],
    [LINK_WORDS['clock-behind'], /clock/],
    [`${LINK_WORDS['other-server']} X, settings.json says Y`, /serverName/],
    ['something new', /Something new\./],
  ])('%s', (problem, expected) => {
    const text = words({ status: status(problem) }) ?? '';
    expect(text).toMatch(expected);
    expect(text).toMatch(/NOT LINKED: .*\n.*goes on trying; on the spot its relays can be moved/);
  });

  test.each([
    ['wrong-passphrase', /"Chez nous" does not take the passphrase/],
    ['not-found', /no Wi-Fi "Chez nous" here/],
    ['blocked', /switched off/],
    ['connecting', /has given no address yet/],
    ['unknown', /has given no address yet/],
  ] as const)('without a network, with a Wi-Fi that is %s, the Wi-Fi is named and not the server', (wifi, expected) => {
    const network = { isConnected: false, wifi };
    const text = words({ site: WIFI, network, status: status(LINK_WORDS['no-name-server']) });
    expect(text).toMatch(expected);
    expect(text).not.toMatch(/name server/);
  });

  test('without a network and without a Wi-Fi it is the cable', () => {
    const network = { isConnected: false, wifi: 'unknown' } as const;
    expect(words({ network, status: status(LINK_WORDS['no-way']) })).toMatch(/Plug in the network cable/);
  });

  test('an agent that has not tried yet says nothing', () => {
    expect(words({ status: status(LINK_WORDS['not-tried']) })).toBeNull();
  });

  test('an agent or a guard that is away is said', () => {
    expect(words({ status: null })).toMatch(/NOT STARTED/);
    expect(words({ status: status(null, 'it does not run') })).toMatch(/RELAYS AWAY: it does not run\.\n\nLINKED/);
  });
});

describe('what NetworkManager says of the Wi-Fi', () => {
  const device = (type: string, state: string, reason: string): string =>
    `GENERAL.TYPE:${type}\nGENERAL.STATE:${state}\nGENERAL.REASON:${reason}\n`;
  test.each([
    ['connected', '100 (connected)', '0 (No reason given)'],
    ['wrong-passphrase', '30 (disconnected)', '7 (Secrets were required, but not provided)'],
    ['wrong-passphrase', '60 (need authentication)', '0'],
    ['wrong-passphrase', '120 (failed)', '8 (supplicant disconnected)'],
    ['not-found', '30 (disconnected)', '53 (The Wi-Fi network could not be found)'],
    ['not-found', '30 (disconnected)', '0'],
    ['blocked', '20 (unavailable)', '2'],
    ['connecting', '70 (connecting (getting IP configuration))', '0'],
  ])('%s: %s, %s', (expected, state, reason) => {
    const printed = `${device('ethernet', '20 (unavailable)', '40')}\n${device('wifi', state, reason)}`;
    expect(wifiStateOf(printed)).toBe(expected);
  });

  test('nothing, where there is none', () => {
    expect(wifiStateOf(device('ethernet', '100', '0'))).toBe('unknown');
    expect(wifiStateOf('')).toBe('unknown');
  });
});
