/** The settings of a device as an installer wants them for its site. */
import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_SERVER_NAME, MAX_HEADER_BCM, RelaygateError } from '@relaygate/shared';
import {
  type BoardProfile,
  type BoardSettings,
  type DeviceSettings,
  isOnHeader,
  type LinkSettings,
  type OutputSettings,
  parseNewDeviceSettings,
} from '@relaygate/shared/device';
import type { SiteBoard, SiteSettings } from '@relaygate/shared/site-settings';
import { memberHint } from '../../files/member-hint';
import { problemOf } from '../../runtime/problem';
import { type BoardChange, withBoard } from '../boards/board-change';
import { chosenBoard } from '../boards/board-choice';
import { boardFacts } from '../boards/board-facts';
import { usedInputsLost } from '../boards/board-inputs';
import { curesOf } from '../boards/boot-level';
import { cureWords, unknownChipWords } from '../boards/cures';
import { withButton } from './site-button';
import {
  type FormerSite,
  isSameChange,
  outputsAnew,
  type SiteTechnician,
  technicianAnew,
  withProvenWiring,
} from './site-edit';
import { wrongSite } from './site-text';
import { allowedInSite } from './site-words';

export interface SiteDeviceDeps {
  site: SiteSettings;
  /** All known profiles. */
  profiles: readonly BoardProfile[];
  /** The device's settings so far; null: none yet. What the site does not name stays. */
  before: DeviceSettings | null;
  /** The file that `before` comes from; null: nobody knows it, or there was none. */
  former?: FormerSite | null;
  /** Where the site's certificate will lie. */
  caPath: string;
}

/** The simulated board has as many relays as outputs are named. */
interface NamedBoard {
  board: SiteBoard;
  outputs?: readonly object[];
}

/** As `relayctl board use` and `relayctl output` would make them. Throws `bad-setting`, naming the site's member. */
export function deviceOfSite({ site, profiles, before, former = null, caPath }: SiteDeviceDeps): DeviceSettings {
  const link = linkOf(site, caPath);
  const change = boardOf(site, profiles);
  const formerChange = former && formerBoardOf(former, profiles);
  const isBoardAsBefore = formerChange !== null && isSameChange(formerChange, change);
  const base = { ...(before ?? { board: change.board, outputs: [] }), link };
  const withBoardOfSite = isBoardAsBefore ? base : withSiteBoard(base, change, site, formerChange);
  // Another board has other inputs: they mean what the file says.
  const technician = technicianAnew(site, isBoardAsBefore ? former : null);
  const withRelays = withTechnician(withBoardOfSite, technician);
  const isAllAsBefore = isBoardAsBefore && isDeepStrictEqual(site.outputs ?? [], former?.outputs);
  const wanted = isAllAsBefore ? [] : outputsAnew(site.outputs ?? [], former, base.outputs);
  if (wanted.length > withRelays.outputs.length)
    throw wrongSite(`outputs are ${wanted.length}, but the board has ${withRelays.outputs.length} relays`);
  const outputs = withRelays.outputs.map((output, n): OutputSettings => {
    const named = { ...output, ...wanted[n] };
    return wanted[n]?.name === undefined ? named : { ...named, name: named.name.trim() };
  });
  const requireProof = site.requireProof ?? (before === null ? true : before.requireProof);
  const proof = requireProof === undefined ? {} : { requireProof };
  const inputs = technician.inputs === undefined ? {} : { inputs: technician.inputs };
  const parsed = parseNewDeviceSettings({ ...withRelays, outputs, ...inputs, ...proof });
  if (!parsed.ok) throw wrongSite(`it makes no settings: ${parsed.problem}${memberHint(parsed, allowedInSite)}`);
  refuseLostInputs(base, parsed.value, technician);
  return parsed.value;
}

/** A site's own board settings replace the old ones; a profile keeps the inputs that the device has. */
function withSiteBoard(
  base: DeviceSettings,
  change: BoardChange,
  { board }: SiteSettings,
  former: BoardChange | null,
): DeviceSettings {
  const settings = withBoard(base, change);
  const hasOwnInputs = board.settings !== undefined && 'inputs' in board.settings;
  return withProvenWiring(hasOwnInputs ? { ...settings, board: change.board } : settings, base, { change, former });
}

/** null: it names a board that this program does not know. */
function formerBoardOf({ site, outputs }: FormerSite, profiles: readonly BoardProfile[]): BoardChange | null {
  try {
    return boardOf({ board: { ...site.board, acceptBootLevel: true }, outputs }, profiles);
  } catch {
    return null;
  }
}

/** A meaning must not pass to another input, unless the file says so. */
function refuseLostInputs(before: DeviceSettings, after: DeviceSettings, { inputs, buttonLine }: SiteTechnician): void {
  const named = { ...(inputs && { inputs: [] }), ...(buttonLine !== undefined && { web: {} }) };
  const lost = usedInputsLost(before, { ...after, ...named });
  if (lost.length > 0)
    throw wrongSite(`inputs ${lost.join(', ')} are in use, and on this board they are none or others`);
}

/** How somebody on site reaches the device. */
function withTechnician(settings: DeviceSettings, { console, buttonLine }: SiteTechnician): DeviceSettings {
  const withConsole = console === undefined ? settings : { ...settings, console };
  return buttonLine === undefined ? withConsole : withButton(withConsole, buttonLine);
}

function linkOf({ serverUrl, serverName, productLogin, caCertificate }: SiteSettings, caPath: string): LinkSettings {
  return {
    serverUrl,
    serverName: serverName ?? DEFAULT_SERVER_NAME,
    productLogin,
    ...(caCertificate === undefined ? {} : { serverCaFile: caPath }),
  };
}

function boardOf({ board, outputs }: NamedBoard, profiles: readonly BoardProfile[]): BoardChange {
  if (board.settings === undefined) return profiledBoard(board, profiles);
  refuseOwnLines(board.settings, board);
  const count = boardFacts(board.settings).relays ?? Math.max(1, outputs?.length ?? 1);
  const relays = Array.from({ length: count }, (_, n) => `Relay ${n + 1}`);
  return { board: board.settings, relays, activeLevel: board.activeLevel ?? 'high' };
}

function profiledBoard(board: SiteBoard, profiles: readonly BoardProfile[]): BoardChange {
  const profile = board.ownProfile ?? profiles.find(({ name }) => name === board.profile);
  if (!profile) {
    const names = profiles.map(({ name }) => name).join(', ');
    throw wrongSite(`board.profile "${board.profile}" is none of the boards: ${names}`);
  }
  const { name, kind } = profile;
  if (kind !== 'gpio' && board.port === undefined)
    throw wrongSite(`board.port is missing, which "${name}" needs; port is ${allowedInSite('port')}`);
  if (kind === 'gpio' && !board.acceptBootLevel) refuseBootLevels(`board "${name}"`, curesOf(profile));
  try {
    return chosenBoard(profile, {
      ...(board.port === undefined ? {} : { port: board.port }),
      ...(board.addresses === undefined ? {} : { address: board.addresses.join(',') }),
    });
  } catch (error) {
    throw error instanceof RelaygateError ? wrongSite(`board: ${problemOf(error).replace(/\.$/, '')}`) : error;
  }
}

/** For a board without a profile: refuses lines that close relays at power-on, and lines that the header does not have. */
function refuseOwnLines(settings: BoardSettings, { activeLevel = 'high', acceptBootLevel = false }: SiteBoard): void {
  if (!('lines' in settings)) return;
  const { chip, lines } = settings;
  if (!isOnHeader(settings)) {
    if (acceptBootLevel) return;
    throw wrongSite(`${unknownChipWords(chip ?? '')}, set board.acceptBootLevel to true (--accept-boot-level)`);
  }
  const inputs = settings.kind === 'gpio' ? (settings.inputs ?? []) : [];
  const none = [...lines, ...inputs.map(({ line }) => line)].find((line) => line > MAX_HEADER_BCM);
  if (none !== undefined)
    throw wrongSite(
      `board.settings names line ${none}, but a Raspberry Pi's header has the BCM numbers 0 to ${MAX_HEADER_BCM}`,
    );
  if (!acceptBootLevel) refuseBootLevels('this board', curesOf({ activeLevel, relays: lines.map((bcm) => ({ bcm })) }));
}

/** I5: a relay that closes before the guard runs is nothing that software could prevent. */
function refuseBootLevels(board: string, cures: ReturnType<typeof curesOf>): void {
  if (cures.length === 0) return;
  throw wrongSite(
    `relays of ${board} may close at power-on, before the guard runs. ${cureWords(cures)}; then, or if nobody is harmed, ` +
      'set board.acceptBootLevel to true (--accept-boot-level)',
  );
}
