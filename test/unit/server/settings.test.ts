import { describe, expect, test } from '@jest/globals';
import {
  corsOrigins,
  listenAddress,
  readSettings,
  refuseUnsafeListen,
  settingsFileOf,
  trustedProxies,
} from '@relaygate/server/settings';

const DEFAULTS = {
  dataDir: './relaygate-data',
  listen: '127.0.0.1:8080',
  serverName: 'relaygate',
  legacyDeprecatedAt: '1735689600',
  docs: 'on',
  diskWarningMib: '1024',
  diskLowMib: '256',
  productCommandsPerMinute: '1200',
  clientCommandsPerMinute: '6000',
  keepCommandsDays: '90',
  keepRevocationsDays: '30',
  keepSessionsDays: '30',
  keepHistoryPositionsDays: '400',
  logLevel: 'info',
  nodeName: 'node-1',
};
const SHARED = { RELAYGATE_DATABASE_URL: 'postgresql://d/d', RELAYGATE_NATS_URL: 'nats://localhost' };
const fileOf = (content: unknown) => ({ name: 'settings.json', text: JSON.stringify(content) });

function complaintOf(env: Record<string, string>, file?: { name: string; text: string }): string {
  try {
    readSettings(env, file);
  } catch (error) {
    expect(error).toMatchObject({ code: 'bad-setting' });
    return error instanceof Error ? error.message : '';
  }
  throw new Error('the settings were accepted');
}

describe('sources', () => {
  test('nothing given: the defaults', () => {
    expect(readSettings({ PATH: '/bin', HOME: '/root' })).toEqual(DEFAULTS);
  });

  test('the environment wins over the file, the file over the defaults', () => {
    const file = fileOf({ listen: '127.0.0.1:1', nodeName: 'from-file' });
    const settings = readSettings({ RELAYGATE_LISTEN: '127.0.0.1:2' }, file);
    expect(settings).toEqual({ ...DEFAULTS, listen: '127.0.0.1:2', nodeName: 'from-file' });
  });

  test('a wrong value in the file is wrong even where the environment wins', () => {
    expect(complaintOf({ RELAYGATE_LISTEN: '127.0.0.1:2' }, fileOf({ listen: 'nowhere' }))).toContain(
      'listen in settings.json',
    );
  });

  test.each(['RELAYGATE_DEVICE_DATA_DIR', 'RELAYGATE_FULL', 'RELAYGATE_SETTINGS_FILE', 'NOT_RELAYGATE_LISTEN'])(
    '%s is none of ours',
    (name) => {
      expect(readSettings({ [name]: 'anything' })).toEqual(DEFAULTS);
    },
  );

  test('the file is named by the command line before the environment', () => {
    expect(settingsFileOf({}, undefined)).toBeUndefined();
    expect(settingsFileOf({ RELAYGATE_SETTINGS_FILE: 'a' }, undefined)).toBe('a');
    expect(settingsFileOf({ RELAYGATE_SETTINGS_FILE: 'a' }, 'b')).toBe('b');
  });
});

describe('wrong settings name themselves and say what they may be', () => {
  test.each([
    ['RELAYGATE_LISTEN', '8080', 'ADDRESS:PORT'],
    ['RELAYGATE_LISTEN', '127.0.0.1:65536', 'ADDRESS:PORT'],
    ['RELAYGATE_LISTEN', '::1:8080', 'ADDRESS:PORT'],
    ['RELAYGATE_LISTEN', '', 'ADDRESS:PORT'],
    ['RELAYGATE_DATA_DIR', '', 'a folder'],
    ['RELAYGATE_PUBLIC_URL', 'gate.example.com', 'https://'],
    ['RELAYGATE_PUBLIC_URL', 'https://:99999', 'https://'],
    ['RELAYGATE_SERVER_NAME', 'two words', 'printable ASCII'],
    ['RELAYGATE_SERVER_NAME', 'x'.repeat(129), '1 to 128'],
    ['RELAYGATE_SERVER_NAME', 'line\nbreak', 'printable ASCII'],
    ['RELAYGATE_TRUSTED_PROXIES', 'proxy.example.com', 'loopback'],
    ['RELAYGATE_TRUSTED_PROXIES', '10.0.0.0/33', 'loopback'],
    ['RELAYGATE_TRUSTED_PROXIES', '10.0.0.0/8/8', 'loopback'],
    ['RELAYGATE_TRUSTED_PROXIES', '0.0.0.0/0', 'loopback'],
    ['RELAYGATE_TRUSTED_PROXIES', '::/0', 'loopback'],
    ['RELAYGATE_TRUSTED_PROXIES', ',', 'loopback'],
    ...['*', 'app.example.com', 'https://app.example.com/', 'ftp://a', 'https://A.example.com', ','].map(
      (value) => ['RELAYGATE_CORS_ORIGINS', value, 'https://app.example.com'] as [string, string, string],
    ),
    ['RELAYGATE_LEGACY_DEPRECATED_AT', '2025-01-01', 'Unix seconds'],
    ['RELAYGATE_LOG_LEVEL', 'verbose', 'debug, info, warn, error or silent'],
    ['RELAYGATE_NODE_NAME', 'node 1', 'letters, digits'],
    ['RELAYGATE_NODE_NAME', '@writers', 'letters, digits'],
    ['RELAYGATE_NODE_NAME', 'cli', 'but not cli'],
  ])('%s=%p', (name, value, mayBe) => {
    const complaint = complaintOf({ [name]: value });
    expect(complaint).toContain(name);
    expect(complaint).toContain(mayBe);
    expect(complaint).toContain(JSON.stringify(value).slice(0, 60));
  });

  test.each([8080, null, true, ['127.0.0.1:80'], {}])('a member of the file that is %p, no text', (value) => {
    expect(complaintOf({}, fileOf({ listen: value }))).toContain('listen in settings.json');
  });

  test('an unknown one, with the known ones, without its value', () => {
    const complaint = complaintOf({ RELAYGATE_PASSWORD: 'hunter2' });
    expect(complaint).toContain('RELAYGATE_PASSWORD');
    expect(complaint).toContain('RELAYGATE_LISTEN');
    expect(complaint).not.toContain('hunter2');
  });

  test.each(['password', 'RELAYGATE_LISTEN', 'Listen', '__proto__', 'constructor'])(
    'an unknown member %s of the file',
    (name) => {
      expect(complaintOf({}, { name: 'settings.json', text: `{"${name}":"hunter2"}` })).toMatch(
        `${name} in settings.json`,
      );
    },
  );

  test('a key pasted for its file is not shown', () => {
    expect(complaintOf({}, fileOf({ tlsCert: 'c.pem', tlsKey: ['-----BEGIN PRIVATE KEY-----'] }))).not.toContain(
      'BEGIN',
    );
  });

  test.each(['', 'not json', '[]', 'null', '"text"'])('a file that holds %p', (text) => {
    expect(complaintOf({}, { name: 'settings.json', text })).toContain('settings.json');
  });

  test.each([
    [{ RELAYGATE_TLS_CERT: 'cert.pem' }, 'RELAYGATE_TLS_KEY is missing'],
    [{ RELAYGATE_TLS_KEY: 'key.pem' }, 'RELAYGATE_TLS_CERT is missing'],
    [{ RELAYGATE_NATS_URL: 'tls://hunter2@n' }, 'set RELAYGATE_DATABASE_URL too'],
    [{ RELAYGATE_NATS_URL: 'hunter2' }, 'RELAYGATE_NATS_URL is wrong'],
    [{ RELAYGATE_NATS_CA: 'ca.pem', ...SHARED }, 'set RELAYGATE_NATS_URL to tls://HOST:PORT too'],
  ])('half of what goes together, or a wrong secret: %p', (env, complaint) => {
    expect(complaintOf(env)).toContain(complaint);
  });
});

describe('where to listen', () => {
  test.each([
    ['127.0.0.1:8080', '127.0.0.1', 8080],
    ['[::1]:0', '::1', 0],
    ['localhost:65535', 'localhost', 65535],
  ])('%p', (listen, host, port) => {
    expect(listenAddress(readSettings({ RELAYGATE_LISTEN: listen }))).toEqual({ host, port });
  });

  test.each(['127.0.0.1:80', '127.9.9.9:80', '[::1]:80', '[::ffff:127.0.0.1]:80', 'localhost:80'])(
    '%p is safe',
    (listen) => {
      expect(() => refuseUnsafeListen(readSettings({ RELAYGATE_LISTEN: listen }))).not.toThrow();
    },
  );

  test.each(['0.0.0.0:80', '[::]:80', '192.168.1.5:80', '[::ffff:10.0.0.1]:80', 'gate.example.com:80', '128.0.0.1:80'])(
    '%p needs TLS or a trusted proxy',
    (listen) => {
      const plain = { RELAYGATE_LISTEN: listen };
      const unsafe = expect.objectContaining({
        code: 'unsafe-listen',
        message: expect.stringContaining('RELAYGATE_TLS_CERT'),
      });
      expect(() => refuseUnsafeListen(readSettings(plain))).toThrow(unsafe);
      const tls = { RELAYGATE_TLS_CERT: 'c.pem', RELAYGATE_TLS_KEY: 'k.pem' };
      expect(() => refuseUnsafeListen(readSettings({ ...plain, ...tls }))).not.toThrow();
      const proxy = { RELAYGATE_TRUSTED_PROXIES: '10.0.0.5' };
      expect(() => refuseUnsafeListen(readSettings({ ...plain, ...proxy }))).not.toThrow();
    },
  );
});

test('trusted proxies are a list of addresses, networks and names of ranges', () => {
  const settings = readSettings({ RELAYGATE_TRUSTED_PROXIES: '10.0.0.5, fd00::/8,loopback' });
  expect(trustedProxies(settings)).toEqual(['10.0.0.5', 'fd00::/8', 'loopback']);
  expect(trustedProxies(readSettings({}))).toEqual([]);
});

test('origins are a list too, none by default', () => {
  const settings = readSettings({ RELAYGATE_CORS_ORIGINS: 'https://app.example.com, http://localhost:5173' });
  expect(corsOrigins(settings)).toEqual(['https://app.example.com', 'http://localhost:5173']);
  expect(corsOrigins(readSettings({}))).toEqual([]);
});

test('the warning of a disk that fills up comes before it is low, unless there is none', () => {
  const env = { RELAYGATE_DISK_LOW_MIB: '300', RELAYGATE_DISK_WARNING_MIB: '299' };
  expect(() => readSettings(env)).toThrow(
    /RELAYGATE_DISK_LOW_MIB \(300\) must not be above RELAYGATE_DISK_WARNING_MIB \(299\)/,
  );
  // The other value is the default, which whoever set this one may not know.
  expect(() => readSettings({ RELAYGATE_DISK_WARNING_MIB: '100' })).toThrow(/LOW_MIB \(256\) .*WARNING_MIB \(100\)/);
  expect(readSettings({ ...env, RELAYGATE_DISK_WARNING_MIB: '0' })).toMatchObject({ diskLowMib: '300' });
});
