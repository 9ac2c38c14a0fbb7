import { describe, expect, test } from '@jest/globals';
import type { LinkCause } from '@relaygate/device-agent/agent/link/link-problem';
import type { DeviceStatus } from '@relaygate/device-agent/agent/technician/local-messages/device';
import { LINK } from '@relaygate/device-agent/locales/en/link';
import type { AgentView } from '@relaygate/device-agent/provisioning/agent-view';
import { wifiStateOf } from '@relaygate/device-agent/provisioning/network-view';
import { factsIn } from '@relaygate/device-agent/provisioning/site/device-facts';
import { type SetupView, statusWords, wordsBeforeStart } from '@relaygate/device-agent/provisioning/status-words';

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
const IDENTITY = { fingerprint: '0f1e-2d3c', webFingerprint: null };
function agent(itsStatus: DeviceStatus, more: Partial<AgentView> = {}): AgentView {
  return { status: itsStatus, identity: IDENTITY, proof: { isProven: true, isRequired: true }, urls: [], ...more };
}
const VIEW: SetupView = {
  siteProblem: null,
  settings: { isThere: true, problem: null },
  closings: [],
  site: null,
  agent: agent(status(null)),
  pageProblem: null,
  network: { isConnected: true, wifi: 'unknown' },
};
const NONE = { isThere: false, problem: null };
const WIFI = {
  serverUrl: 'wss://h',
  productLogin: 'gate-1',
  board: { profile: 'x' },
  wifi: { ssid: 'Chez nous', country: 'FR' },
};
const words = (view: Partial<SetupView>): string | null => statusWords({ ...VIEW, ...view });

describe('the words of the status', () => {
  test('a device that is linked says so', () => {
    expect(words({})).toBe('Relaygate, product gate-1\n\nLINKED to wss://h.\n\nFingerprint of this device: 0f1e-2d3c');
  });

  test('a wrong file is said with its member, and whether there are settings of before', () => {
    expect(words({ siteProblem: 'relaygate-site.json: wifi is wrong.' })).toMatch(
      /NOT TAKEN OVER: relaygate-site\.json: wifi is wrong\.\nThe device goes on with the settings of before\./,
    );
    expect(wordsBeforeStart({ siteProblem: 'x', settings: NONE })).toMatch(/no settings yet/);
  });

  test('settings of the device that cannot be read are said once, with the two ways out', () => {
    const problem = '/d/settings.json cannot be read: EIO: i/o error, read.';
    const siteProblem = `relaygate-site.json is not taken over: ${problem}`;
    const settings = { isThere: true, problem };
    for (const text of [
      wordsBeforeStart({ siteProblem, settings }),
      wordsBeforeStart({ siteProblem: null, settings }),
      words({ siteProblem, settings, agent: null }),
    ]) {
      expect(text).toMatch(
        /\n\nSETTINGS UNREADABLE: \/d\/settings\.json cannot be read: EIO: i\/o error, read\.\n.*nothing was changed.*Mend that file.*in a Linux machine.*write the card anew.*product revoke-device/,
      );
      expect(text).not.toMatch(/NOT TAKEN OVER|settings of before|Correct|NOT STARTED/);
    }
    expect(words({ settings })).toMatch(/SETTINGS UNREADABLE: [\s\S]*LINKED to/);
  });

  test('relays that the firmware closes are said, whatever else there is', () => {
    const closings = [{ bcm: 6, level: 'low', configLine: 'gpio=6=op,dl' }] as const;
    for (const text of [words({ closings }), words({ closings, agent: null })])
      expect(text).toMatch(
        /RELAYS CLOSE AT POWER-ON: relaygate-board\.txt .* BCM 6 a low level, until the guard runs\.\n.*take gpio=6=op,dl out of it/,
      );
    expect(words({ closings })).toContain('LINKED to');
  });

  test('a new card says what to do', () => {
    expect(wordsBeforeStart({ siteProblem: null, settings: NONE })).toMatch(/Put a file relaygate-site\.json/);
    expect(wordsBeforeStart({ siteProblem: null, settings: VIEW.settings })).toBeNull();
  });

  test.each([
    [LINK['name-unknown'], /name does not resolve\.\n.*typing error/],
    [LINK['nothing-listens'], /nothing listens.*\n.*ask the server's operator/i],
    [LINK.silent, /does not answer\.\n.*lets the device out/],
    [LINK['not-accepted'], /refused this device.*\n.*make a new/],
    [LINK.revoked, /revoked/],
    [LINK.replaced, /card was copied/],
    [`${LINK['not-trusted']} (self-signed certificate)`, /not trusted \(self-signed certificate\)\.\n.*caCertificate/],
    [LINK['clock-behind'], /clock.*\n.*UDP port 123.*timeServers of relaygate-site\.json/],
    [`${LINK['other-server']} X, settings.json says Y`, /serverName/],
    [`${LINK['epoch-too-far']} (epoch 9 after 7)`, /\(epoch 9 after 7\)\.\n.*right server/],
    ['something new', /Something new\./],
  ])('%s', (problem, expected) => {
    const text = words({ agent: agent(status(problem)) }) ?? '';
    expect(text).toMatch(expected);
    expect(text).toMatch(/NOT LINKED: .*\n.*goes on trying; on the spot its relays can be moved/);
  });

  test.each([
    ['wrong-passphrase', /"Chez nous" does not take the passphrase/],
    ['not-found', /no Wi-Fi "Chez nous" here/],
    ['not-joined', /"Chez nous" cannot be joined: it is not here, or does not take the passphrase/],
    ['blocked', /switched off\.\nIt is switched on again by itself.* cable/],
    ['connecting', /has given no address yet/],
    ['unknown', /has given no address yet/],
  ] as const)('without a network, with a Wi-Fi that is %s, the Wi-Fi is named and not the server', (wifi, expected) => {
    const network = { isConnected: false, wifi };
    const text = words({ site: WIFI, network, agent: agent(status(LINK['no-name-server'])) });
    expect(text).toMatch(expected);
    expect(text).not.toMatch(/name server/);
  });

  test('without a network and without a Wi-Fi it is the cable', () => {
    const network = { isConnected: false, wifi: 'unknown' } as const;
    expect(words({ network, agent: agent(status(LINK['no-way'])) })).toMatch(/Plug in the network cable/);
  });

  test('a clock that nobody has set is said once, beside the link or by the words of its certificate', () => {
    const faults = [{ code: 'clock-not-set', text: 'x' }];
    expect(words({ agent: agent({ ...status(null), faults }) })).toMatch(
      /LINKED .*\n\nCLOCK NOT SET: .*\n.*timeServers of relaygate-site\.json/,
    );
    expect(words({ agent: agent({ ...status(LINK['clock-behind']), faults }) })).not.toMatch(/CLOCK/);
  });

  test('an agent that has not tried yet says nothing', () => {
    expect(words({ agent: agent(status(LINK['not-tried'])) })).toBeNull();
  });

  test('an agent or a guard that is away is said', () => {
    expect(words({ agent: null })).toMatch(/NOT STARTED/);
    expect(words({ agent: agent(status(null, 'it does not run')) })).toMatch(
      /RELAYS AWAY: it does not run\.\n\nLINKED/,
    );
  });
});

describe('proof and page', () => {
  const unproven = { isProven: false, isRequired: true };

  test('a device whose wiring is not proven says why it refuses commands', () => {
    expect(words({ agent: agent(status(null), { proof: unproven }) })).toMatch(
      /LINKED .*\n\nNOT PROVEN: the server's commands are refused .*\nStand where/,
    );
    expect(words({ agent: agent(status(null), { proof: { ...unproven, isRequired: false } }) })).not.toMatch(/PROVEN/);
  });

  test('a page that is on is named with its addresses, and one that should be with what keeps it off', () => {
    const urls = ['https://192.168.1.20:8443/', 'https://[fd00::1]:8443/'];
    expect(words({ agent: agent({ ...status(null), webLeftMs: 60_000 }, { urls }) })).toMatch(
      /PAGE ON: https:\/\/192\.168\.1\.20:8443\/ https:\/\/\[fd00::1\]:8443\/\nThe browser warns once/,
    );
    expect(words({ pageProblem: 'There is no PIN.' })).toMatch(/NO PAGE: There is no PIN\.\nIt is tried again/);
  });
});

describe('what a label needs', () => {
  const written = (text: string | null): string => `${text}\n\nSince 2026-11-21 10:00 UTC.\n`.replaceAll('\n', '\r\n');

  test.each([null, '80:56:08:62'])('is read from what was written, with the certificate %s', (webFingerprint) => {
    const identity = { ...IDENTITY, webFingerprint };
    const text = written(words({ agent: agent(status(LINK.silent), { identity }) }));
    expect(factsIn(text)).toEqual({ productLogin: 'gate-1', fingerprint: '0f1e-2d3c', webFingerprint });
  });

  test('is nothing in the file of a device that has not run', () => {
    expect(factsIn(written(words({ agent: null })))).toBeNull();
    expect(factsIn('')).toBeNull();
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
    ['not-joined', '30 (disconnected)', '0 (No reason given)'],
    ['not-joined', '120 (failed)', '1 (Unknown error)'],
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

function causeOfProblem(problem: string): LinkCause {
  const found = Object.entries(LINK).find(([, text]) => problem.startsWith(text));
  return found ? (found[0] as keyof typeof LINK) : 'other';
}
