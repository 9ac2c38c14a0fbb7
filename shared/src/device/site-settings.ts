/**
 * An installer's settings for one device: `relaygate-site.json` on the boot partition of its card. The device reads the file at
 * its start, and writes KEPT in place of each secret.
 */

import { type Optional, type Static, Type } from '../json-schema';
import { MAX_INPUTS, MAX_OUTPUTS, WEB_MAX_MS, WEB_MIN_MS } from '../limits';
import { NewOutputName } from '../outputs';
import { certificatesIn } from '../pem';
import { productCodeProblem } from '../product-code';
import { checkedParser, parserOf } from '../schema';
import { BoardProfile, profileProblem } from './board-profile';
import { BoardSettings, GpioOffset, ModbusAddress, ProfileName } from './board-settings';
import { ConsoleSettings, LinkSettings } from './device-settings';
import { InputSettings } from './input-settings';
import { Level } from './level';
import { type FormMember, OUTPUT_FORMS } from './output-forms';
import { OutputSettings } from './output-settings';
import { SerialPath } from './serial-settings';
import { serverUrlProblem } from './server-url';

export const SITE_FILE = 'relaygate-site.json';
/** Beside it: a text about the state of the device. */
export const STATUS_FILE = 'relaygate-status.txt';
/** In place of a secret that the device has. No secret can have this value. */
export const KEPT = '(kept)';
/** Larger than any right file. */
export const SITE_FILE_MAX_BYTES = 64 * 1024;

/** A profile's name, or settings. */
export const SiteBoard = Type.Object(
  {
    profile: Type.Optional(ProfileName),
    /** The profile itself, if the program does not have it. */
    ownProfile: Type.Optional(BoardProfile),
    /** Of a serial board. */
    port: Type.Optional(SerialPath),
    /** Of Modbus boards: their addresses on the bus, one for each board. */
    addresses: Type.Optional(Type.Array(ModbusAddress, { minItems: 1, maxItems: MAX_OUTPUTS })),
    /** True: accepts that relays may close at power-on, before the guard runs. */
    acceptBootLevel: Type.Optional(Type.Boolean()),
    /** Instead of a profile: as in settings.json. */
    settings: Type.Optional(BoardSettings),
    /** With `settings` of a GPIO board: the level that energises its relays. */
    activeLevel: Type.Optional(Level),
  },
  { additionalProperties: false },
);
export type SiteBoard = Static<typeof SiteBoard>;

/** A missing member keeps its value; a new output pulses for 500 ms and has the relay's name. */
export const SiteOutput = Type.Object(
  { ...siteMembers(), name: Type.Optional(NewOutputName) },
  { additionalProperties: false },
);

function siteMembers() {
  const { properties } = OutputSettings;
  const members = OUTPUT_FORMS.site.map((member) => [member, Type.Optional(properties[member])]);
  // The compiler does not follow entries back to their members.
  return Object.fromEntries(members) as { [M in FormMember<'site'>]: Optional<(typeof properties)[M]> };
}

/** WPA2 and WPA3 take 8 to 63 printable characters, or the key itself as 64 hexadecimal digits. */
const PASSPHRASE_PATTERN = '^(\\(kept\\)|[\\x20-\\x7e]{8,63}|[0-9A-Fa-f]{64})$';

export const SiteWifi = Type.Object(
  {
    /** 1 to 32 characters without control characters. */
    ssid: Type.String({ pattern: '^[^\\x00-\\x1f\\x7f]{1,32}$' }),
    /** Without one: an open network. */
    passphrase: Type.Optional(Type.String({ pattern: PASSPHRASE_PATTERN })),
    /** ISO 3166: which channels and powers are lawful. */
    country: Type.String({ pattern: '^[A-Z]{2}$' }),
    /** True: the network does not broadcast its name. */
    hidden: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type SiteWifi = Static<typeof SiteWifi>;

/** With hyphens, which may be anywhere. */
const ENROLMENT_CODE_MAX_CHARS = 64;

const MINUTE_MS = 60_000;

/** The technician's page. */
export const SiteWeb = Type.Object(
  {
    /** GPIO boards: a button to ground at this line, a BCM number on a Raspberry Pi's header. */
    buttonLine: Type.Optional(GpioOffset),
    /** How long the page is on after each start, until the wiring is proven. */
    forMinutes: Type.Optional(Type.Integer({ minimum: WEB_MIN_MS / MINUTE_MS, maximum: WEB_MAX_MS / MINUTE_MS })),
  },
  { additionalProperties: false },
);
export type SiteWeb = Static<typeof SiteWeb>;

/** A name, an IPv4 or an IPv6 address: it stands in a file of systemd's. */
const TimeServer = Type.Union([
  Type.String({ pattern: '^[A-Za-z0-9]+(-+[A-Za-z0-9]+)*(\\.[A-Za-z0-9]+(-+[A-Za-z0-9]+)*)*$', maxLength: 253 }),
  Type.String({ pattern: '^[0-9A-Fa-f]*:[0-9A-Fa-f:.]*$', maxLength: 64 }),
]);

export const SiteSettings = Type.Object(
  {
    serverUrl: LinkSettings.properties.serverUrl,
    /** Without one: DEFAULT_SERVER_NAME. */
    serverName: Type.Optional(LinkSettings.properties.serverName),
    productLogin: LinkSettings.properties.productLogin,
    board: SiteBoard,
    /** The position is the output's number. */
    outputs: Type.Optional(Type.Array(SiteOutput, { maxItems: MAX_OUTPUTS })),
    /** As in settings.json. Without it: what the device has. */
    inputs: Type.Optional(Type.Array(InputSettings, { maxItems: MAX_INPUTS })),
    /** Remote commands only once the wiring is proven. Without it: what the device has, and true for a new one. */
    requireProof: Type.Optional(Type.Boolean()),
    hostname: Type.Optional(Type.String({ pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' })),
    /** Asked for the time instead of those that the network names; names or addresses. */
    timeServers: Type.Optional(Type.Array(TimeServer, { minItems: 1, maxItems: 4 })),
    /** PEM, of the authority behind the server's certificate where that is a private one. */
    caCertificate: Type.Optional(Type.String({ maxLength: 32_768 })),
    wifi: Type.Optional(SiteWifi),
    /** As in settings.json. */
    console: Type.Optional(ConsoleSettings),
    web: Type.Optional(SiteWeb),
    /** As `product create` printed it. A device that is linked already needs none. */
    enrolmentCode: Type.Optional(Type.String({ maxLength: ENROLMENT_CODE_MAX_CHARS })),
    /** Id, salt and scrypt hash of the PIN for the device's console and web page, in base64url. */
    pin: Type.Optional(
      Type.String({ pattern: '^(\\(kept\\)|[A-Za-z0-9_-]{8}\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43})$' }),
    ),
  },
  { additionalProperties: false },
);
export type SiteSettings = Static<typeof SiteSettings>;

export const parseSiteSettings = checkedParser(parserOf(SiteSettings), siteProblem);

/** The same without what others must not read. Secrets stand last, so that the text before them does not change. */
export function withoutSecrets(site: SiteSettings): SiteSettings {
  const { wifi, enrolmentCode, pin, ...open } = site;
  return {
    ...open,
    ...(wifi === undefined ? {} : { wifi: wifi.passphrase === undefined ? wifi : { ...wifi, passphrase: KEPT } }),
    ...(enrolmentCode === undefined ? {} : { enrolmentCode: KEPT }),
    ...(pin === undefined ? {} : { pin: KEPT }),
  };
}

/** As the file has it. */
export function siteText(site: SiteSettings): string {
  return `${JSON.stringify(site, null, 2)}\n`;
}

function siteProblem({ serverUrl, board, caCertificate, enrolmentCode = KEPT }: SiteSettings): string | null {
  const problem = serverUrlProblem(serverUrl);
  if (problem !== null) return `serverUrl ${problem}`;
  const certificates = caCertificate === undefined ? null : certificatesIn(caCertificate);
  if (certificates?.ok === false) return `caCertificate ${certificates.problem}`;
  const codeProblem = enrolmentCode === KEPT ? null : productCodeProblem(enrolmentCode, 'enrolment code');
  if (codeProblem !== null) return `enrolmentCode ${codeProblem}`;
  return boardProblem(board);
}

function boardProblem({ profile, ownProfile, settings, port, addresses, activeLevel }: SiteBoard): string | null {
  if (ownProfile !== undefined) {
    if (ownProfile.name !== profile) return 'board.ownProfile has another name than board.profile';
    const problem = profileProblem(ownProfile);
    if (problem !== null) return `board.ownProfile: ${problem}`;
  }
  if ((profile === undefined) === (settings === undefined)) return 'board has either profile or settings';
  if (profile !== undefined)
    return activeLevel === undefined ? null : 'board.activeLevel goes with board.settings: a profile has its own';
  if (port !== undefined || addresses !== undefined)
    return `board.${port === undefined ? 'addresses' : 'port'} goes with board.profile`;
  const hasLines = settings !== undefined && 'lines' in settings;
  return hasLines && activeLevel === undefined ? 'board.activeLevel is missing: "high" or "low"' : null;
}
