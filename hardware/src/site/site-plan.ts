/** What one device gets: settings for its card, and what stands on its label. */
import type { HashPin } from '@relaygate/device-agent/files/hash-pin';
import { newPin } from '@relaygate/device-agent/files/pin-record';
import { deviceOfSite } from '@relaygate/device-agent/provisioning/site/site-device';
import { checkedSite } from '@relaygate/device-agent/provisioning/site/site-text';
import { badSetting, badUsage } from '@relaygate/device-agent/runtime/complaint';
import type { Randomness } from '@relaygate/shared';
import type { BoardProfile } from '@relaygate/shared/device';
import { KEPT, type SiteSettings } from '@relaygate/shared/site-settings';
import { type TechnicianRequest, technicianOf } from './site-technician';

/** As texts, from options or from a line of a table. */
export interface SiteRequest extends TechnicianRequest {
  server: string;
  serverName?: string | undefined;
  product: string;
  enrolment: string;
  /** A name, or the text of an object as `board` of the settings file. */
  board: string;
  port?: string | undefined;
  addresses?: string | undefined;
  acceptBootLevel?: boolean | undefined;
  /** A board in files, which moves no relay. */
  simulated?: boolean | undefined;
  /** Without it: true. */
  requireProof?: boolean | undefined;
  hostname?: string | undefined;
  /** Names or addresses, between commas or blanks. */
  timeServers?: string | undefined;
  ca?: string | undefined;
  ssid?: string | undefined;
  passphrase?: string | undefined;
  /** It has none. */
  wifiOpen?: boolean | undefined;
  country?: string | undefined;
  hidden?: boolean | undefined;
  /** The text of a list as `outputs` of the settings file. */
  outputs?: string | undefined;
  /** The same of `inputs`. */
  inputs?: string | undefined;
}

export interface PlanDeps {
  profiles: readonly BoardProfile[];
  /** They are the installer's: a device does not have them. */
  areProfilesOwn: boolean;
  certificateProblem(pem: string): string | null;
}

/** The settings without a PIN, checked as the device will check them. Throws `bad-setting`. */
export function siteOf(request: SiteRequest, { profiles, areProfilesOwn, certificateProblem }: PlanDeps): SiteSettings {
  const { serverName, product, enrolment, hostname, ca } = request;
  refuseKept('enrolmentCode', enrolment);
  refuseKept('wifi.passphrase', request.passphrase);
  const site = checkedSite({
    serverUrl: addressOf(request.server),
    ...(serverName === undefined ? {} : { serverName }),
    productLogin: product,
    board: boardOf(request, areProfilesOwn ? profiles : []),
    ...(request.outputs === undefined ? {} : { outputs: jsonOf(request.outputs, 'outputs') }),
    ...(request.inputs === undefined ? {} : { inputs: jsonOf(request.inputs, 'inputs') }),
    requireProof: request.requireProof ?? true,
    ...(hostname === undefined ? {} : { hostname }),
    ...(request.timeServers === undefined ? {} : { timeServers: request.timeServers.split(/[ ,;]+/) }),
    ...(ca === undefined ? {} : { caCertificate: ca }),
    ...wifiOf(request),
    ...technicianOf(request),
    enrolmentCode: enrolment,
  });
  if (site.board.settings?.kind === 'simulated' && !request.simulated)
    throw badSetting('The board is simulated: no relay would move. --simulated is for trying things out.');
  deviceOfSite({ site, profiles, before: null, caPath: '/var/lib/relaygate/server-ca.pem' });
  const problem = ca === undefined ? null : certificateProblem(ca);
  if (problem !== null) throw badSetting(`The certificate ${problem}.`);
  return site;
}

/** The same with a new PIN, which is on the label and nowhere else. */
export async function withNewPin(
  site: SiteSettings,
  randomness: Randomness,
  hashPin: HashPin,
): Promise<{ site: SiteSettings; pin: string }> {
  const { pin, record } = await newPin(randomness, hashPin);
  return { site: { ...site, pin: `${record.id}.${record.salt}.${record.hash}` }, pin };
}

/** Of a file that a device has left on its card: a new card's device has kept nothing. */
function refuseKept(member: string, value: string | undefined): void {
  if (value === KEPT) throw badSetting(`${member} is "${KEPT}", which a new device does not have.`);
}

/** People copy the address from their browser. */
function addressOf(server: string): string {
  return server.replace(/^https:/, 'wss:').replace(/^(wss?:\/\/[^/]+)\/$/, '$1');
}

function boardOf({ board, port, addresses, acceptBootLevel }: SiteRequest, own: readonly BoardProfile[]): unknown {
  if (board.trimStart().startsWith('{')) {
    if (port !== undefined || addresses !== undefined)
      throw badUsage('A board of your own has port and addresses in its file: leave out --port and --addresses.');
    const value = jsonOf(board, 'board');
    return typeof value === 'object' && acceptBootLevel ? { ...value, acceptBootLevel } : value;
  }
  const ownProfile = own.find(({ name }) => name === board);
  return {
    profile: board,
    ...(ownProfile === undefined ? {} : { ownProfile }),
    ...(port === undefined ? {} : { port }),
    ...(addresses === undefined ? {} : { addresses: addresses.split(/[ ,;]+/).map(Number) }),
    ...(acceptBootLevel ? { acceptBootLevel } : {}),
  };
}

function wifiOf({ ssid, passphrase, country, hidden, wifiOpen }: SiteRequest): object {
  if (ssid === undefined) {
    if (passphrase === undefined) return {};
    throw badUsage('A passphrase is for a Wi-Fi: give its name too (--wifi, ssid).');
  }
  if (country === undefined)
    throw badUsage('Wi-Fi needs the country, such as FR (--country, country): it says what is lawful.');
  if (passphrase === undefined && !wifiOpen)
    throw badUsage(
      `The Wi-Fi "${ssid}" has no passphrase (--wifi-passphrase-file, column passphrase): if it is an open network, which everybody ` +
        'near it can use and watch, say so (--wifi-open, "yes" in column wifiOpen).',
    );
  if (passphrase !== undefined && wifiOpen)
    throw badUsage(`The Wi-Fi "${ssid}" has a passphrase, or it is open (--wifi-open): not both.`);
  return {
    wifi: { ssid, country, ...(hidden ? { hidden } : {}), ...(passphrase === undefined ? {} : { passphrase }) },
  };
}

function jsonOf(text: string, member: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badSetting(`${member} is no JSON: ${text.slice(0, 40)}.`, error);
  }
}
