import { BlockList, isIP } from 'node:net';
import { parserOf, RelaygateError, ServerSettings } from '@relaygate/shared';

const PREFIX = 'RELAYGATE_';
/** Variables of the device's programs and of the test runner, which may run in the same environment. */
const OTHER_VARIABLES = /^RELAYGATE_(DEVICE_.*|FULL)$/;
const SETTINGS_FILE_VARIABLE = 'RELAYGATE_SETTINGS_FILE';
/** Names of address ranges that Express knows. */
const PROXY_RANGES = ['loopback', 'linklocal', 'uniquelocal'];
const SHOWN_CHARS = 60;
/** Their values are never shown. */
const SECRETS: ReadonlySet<string> = new Set(['tlsKey', 'databaseUrl', 'natsUrl']);

type SettingName = keyof ServerSettings;
type Environment = Readonly<Record<string, string | undefined>>;

interface Setting {
  name: SettingName;
  /** Its name in the environment. */
  variable: string;
  /** The allowed values. */
  description: string;
  default: string | undefined;
  accepts(value: string): boolean;
}

/** Checks that a schema's pattern cannot express. */
const MORE_CHECKS: Partial<Record<SettingName, (value: string) => boolean>> = {
  listen: (value) => addressOf(value).port <= 65_535,
  publicUrl: (value) => URL.canParse(value),
  trustedProxies: (value) => listOf(value).length > 0 && listOf(value).every(isProxy),
  corsOrigins: (value) => listOf(value).length > 0 && listOf(value).every(isOrigin),
};

/** In the order of the schema. */
export const SETTINGS: readonly Setting[] = settingNames().map((name) => {
  const schema = ServerSettings.properties[name];
  const fits = parserOf(schema);
  return {
    name,
    variable: PREFIX + name.replace(/[A-Z]/g, '_$&').toUpperCase(),
    description: schema.description ?? '',
    default: typeof schema.default === 'string' ? schema.default : undefined,
    accepts: (value) => fits(value).ok && (MORE_CHECKS[name]?.(value) ?? true),
  };
});

/** The settings file of the command line, else of the environment. */
export function settingsFileOf(env: Environment, fromCommandLine: string | undefined): string | undefined {
  return fromCommandLine ?? env[SETTINGS_FILE_VARIABLE];
}

/**
 * Settings from the environment and one JSON file; the environment wins. Fails with `bad-setting`; the message names the
 * setting and its allowed values. It does not show values of unknown settings and of keys, because they may be secrets.
 */
export function readSettings(env: Environment, file?: { name: string; text: string }): ServerSettings {
  const given = new Map<SettingName, string>();
  if (file) for (const [setting, value] of fileSettings(file)) given.set(setting.name, value);
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || OTHER_VARIABLES.test(variable) || variable === SETTINGS_FILE_VARIABLE) continue;
    const setting = SETTINGS.find((known) => known.variable === variable);
    if (!setting) throw unknownSetting(variable, 'variable');
    if (value !== undefined) given.set(setting.name, checked(setting, setting.variable, value));
  }
  const settings = parseSettings({ ...defaults(), ...Object.fromEntries(given) });
  if (!settings.ok) throw badSetting(`The settings are wrong: ${settings.problem}.`);
  const { tlsCert, tlsKey, diskWarningMib, diskLowMib, natsUrl, natsCa, databaseUrl } = settings.value;
  if (Number(diskWarningMib) > 0 && Number(diskLowMib) > Number(diskWarningMib)) {
    const what = `RELAYGATE_DISK_LOW_MIB (${diskLowMib}) must not be above RELAYGATE_DISK_WARNING_MIB (${diskWarningMib})`;
    throw badSetting(`${what}: the warning comes first. Set both; 0 is never.`);
  }
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    const missing = tlsCert === undefined ? 'RELAYGATE_TLS_CERT' : 'RELAYGATE_TLS_KEY';
    throw badSetting(`RELAYGATE_TLS_CERT and RELAYGATE_TLS_KEY go together; ${missing} is missing.`);
  }
  if (natsUrl !== undefined && databaseUrl === undefined) {
    throw badSetting(
      'RELAYGATE_NATS_URL is for several nodes, which share a database: set RELAYGATE_DATABASE_URL too.',
    );
  }
  if (natsCa !== undefined && !natsUrl?.startsWith('tls:')) {
    throw badSetting('RELAYGATE_NATS_CA is for TLS: set RELAYGATE_NATS_URL to tls://HOST:PORT too.');
  }
  return settings.value;
}

/** Port 0 picks a free one. */
export function listenAddress(settings: Pick<ServerSettings, 'listen'>): { host: string; port: number } {
  return addressOf(settings.listen);
}

/** Addresses, networks and names of ranges, as Express accepts them. */
export function trustedProxies(settings: Pick<ServerSettings, 'trustedProxies'>): string[] {
  return listOf(settings.trustedProxies ?? '');
}

/** None by default. */
export function corsOrigins(settings: Pick<ServerSettings, 'corsOrigins'>): string[] {
  return listOf(settings.corsOrigins ?? '');
}

/** Fails with `unsafe-listen` if tokens and keys would cross a network in clear text. */
export function refuseUnsafeListen(settings: ServerSettings): void {
  if (settings.tlsCert !== undefined || trustedProxies(settings).length > 0) return;
  if (isLoopback(listenAddress(settings).host)) return;
  const text = `Listening on ${settings.listen} would send keys over the network in clear text; set RELAYGATE_TLS_CERT and RELAYGATE_TLS_KEY, or RELAYGATE_TRUSTED_PROXIES, or listen on 127.0.0.1.`;
  throw new RelaygateError('unsafe-listen', text);
}

const parseSettings = parserOf(ServerSettings);

function settingNames(): SettingName[] {
  return Object.keys(ServerSettings.properties).filter(
    (name): name is SettingName => name in ServerSettings.properties,
  );
}

function defaults(): Partial<Record<SettingName, string>> {
  return Object.fromEntries(SETTINGS.flatMap((setting) => (setting.default ? [[setting.name, setting.default]] : [])));
}

function fileSettings({ name, text }: { name: string; text: string }): [Setting, string][] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw badSetting(`The settings file ${name} is not JSON.`, cause);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw badSetting(`The settings file ${name} must hold one JSON object.`);
  }
  return Object.entries(content).map(([member, value]: [string, unknown]) => {
    const setting = SETTINGS.find((known) => known.name === member);
    if (!setting) throw unknownSetting(`${member} in ${name}`, 'name');
    return [setting, checked(setting, `${member} in ${name}`, value)];
  });
}

function checked(setting: Setting, where: string, value: unknown): string {
  if (typeof value === 'string' && setting.accepts(value)) return value;
  throw badSetting(`${where} is ${shown(setting, value)}; it may be ${setting.description}.`);
}

function shown(setting: Setting, value: unknown): string {
  if (SECRETS.has(setting.name) && value !== '') return 'wrong';
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}...` : text;
}

function unknownSetting(where: string, called: 'variable' | 'name'): RelaygateError {
  const known = SETTINGS.map((setting) => setting[called]).join(', ');
  return badSetting(`There is no setting ${where}; there are ${known}.`);
}

function badSetting(message: string, cause?: unknown): RelaygateError {
  return new RelaygateError('bad-setting', message, { cause });
}

function addressOf(listen: string): { host: string; port: number } {
  const colon = listen.lastIndexOf(':');
  return { host: listen.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(listen.slice(colon + 1)) };
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** As browsers send it: without a path, and without a port that its scheme has anyway. */
function isOrigin(entry: string): boolean {
  return /^https?:/.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry;
}

function isProxy(entry: string): boolean {
  if (PROXY_RANGES.includes(entry)) return true;
  const [address = '', bits, ...more] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  // proxy-addr accepts no range of 0 bits: with it, any client could name its own address.
  return bits === undefined || (/^[1-9][0-9]{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  const version = isIP(host);
  return version === 0 ? host === 'localhost' : loopback.check(host, version === 6 ? 'ipv6' : 'ipv4');
}
