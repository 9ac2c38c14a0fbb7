/** `relayctl board`: which relay board this device drives. */
import { isOnHeader } from '@relaygate/shared/device';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Command } from 'commander';
import type { RelayctlTranslations } from '../locales/relayctl';
import { type BoardChoiceOptions, type ChosenBoard, chosenBoard } from '../provisioning/boards/board-choice';
import { boardText } from '../provisioning/boards/board-facts';
import { BOARD_CONFIG_FILE, closingLinesOf, firmwareClosings } from '../provisioning/boards/boot-config';
import { badUsage } from '../runtime/complaint';
import type { CommandDeps } from './command-deps';
import { type ConfirmOptions, confirm, withYes } from './confirmation';
import { type ShownProfile, shownProfile, showPorts, showProfile, showProfiles, showUsedBoard } from './show-board';

interface BoardOptions {
  profiles?: string;
}

interface UseOptions extends BoardOptions, BoardChoiceOptions, ConfirmOptions {
  acceptBootLevel?: boolean;
}

interface KnownProfiles {
  profiles: ShownProfile[];
  /** Why the card's profile may be missing; null: it is not. */
  missing: RelaygateError | null;
}

const EXAMPLES = `
Examples:
  relayctl board list
  relayctl board show waveshare-rpi-relay-board
  relayctl board use generic-active-high --yes        in a script: it asks nothing
  relayctl board use waveshare-rpi-relay-board --accept-boot-level
  relayctl board ports
  relayctl board use waveshare-modbus-rtu-relay-8ch --port /dev/serial/by-id/usb-FTDI_A1-if00-port0 --address 1,2`;

export function addCommands(program: Command, deps: CommandDeps): void {
  const { boards, boardConfig, serialPorts, command, print, ask, change, terminal, t } = deps;
  const board = command(program, 'board', 'which relay board this device drives').addHelpText('after', EXAMPLES);
  const subcommand = (name: string, description: string): Command =>
    command(board, name, description).option('--profiles <dir>', 'folder of board profiles, instead of the own ones');

  /** The program's profiles, and the one that came with the device's card, which its name means; or those of a folder. */
  async function known(options: BoardOptions): Promise<KnownProfiles> {
    const own = boards(options.profiles).map((profile) => shownProfile(profile));
    if (options.profiles !== undefined) return { profiles: own, missing: null };
    try {
      const { profile } = await ask(options, 'site-profile', {});
      if (profile === null) return { profiles: own, missing: null };
      const others = own.filter(({ name }) => name !== profile.name);
      const ofCard = shownProfile(profile, { fromCard: true, hidesOwn: others.length < own.length });
      return { profiles: [ofCard, ...others], missing: null };
    } catch (error) {
      return { profiles: own, missing: missingProfile(error, t) };
    }
  }

  /** The program's own profiles are described in the reader's language; others may have the same name. */
  function inLanguage(profile: ShownProfile, options: BoardOptions): ShownProfile {
    const isOwn = options.profiles === undefined && !profile.fromCard;
    return isOwn ? { ...profile, ...t.profiles[profile.name] } : profile;
  }

  /** Beside the output, because programs read that too. */
  function warnOfMissing({ missing }: KnownProfiles): void {
    if (missing) terminal.note(missing.message);
  }

  subcommand('list', 'the boards that are known').action(async (options: BoardOptions) => {
    const found = await known(options);
    print(found.profiles, () =>
      showProfiles(
        found.profiles.map((profile) => inLanguage(profile, options)),
        t,
      ),
    );
    warnOfMissing(found);
  });
  subcommand('show', "a board's wiring, and what its relays do at power-on")
    .argument('<name>', 'as "board list" shows it')
    .action(async (name: string, options: BoardOptions) => {
      const found = await known(options);
      print(profileNamed(found, name, t), (profile) => showProfile(inLanguage(profile, options), t));
      warnOfMissing(found);
    });
  subcommand('ports', 'the serial adapters that are plugged in, and how to name them').action(
    async (options: BoardOptions) => {
      const found = await known(options);
      print(serialPorts(found.profiles), showPorts);
      warnOfMissing(found);
    },
  );
  withYes(subcommand('use', 'writes the board into the settings, for the next start of guard and agent'))
    .argument('<name>', 'as "board list" shows it')
    .option('--port <path>', 'serial boards: the adapter, as "board ports" shows it')
    .option('--address <list>', 'Modbus boards: their addresses on the bus, such as 1,2,3; each is one such board')
    .option('--chip <label>', "label of the GPIO chip, if it is not that of the Raspberry Pi's header")
    .option('--sysfs', 'through /sys/class/gpio, for kernels before 5.10')
    .option('--accept-boot-level', 'also a board whose relays may close at power-on, before the guard runs')
    .action(async (name: string, options: UseOptions) => {
      const found = await known(options);
      // The name may mean another profile.
      if (found.missing) throw found.missing;
      const profile = profileNamed(found, name, t);
      const chosen = chosenBoard(profile, options);
      // Only the header's levels at power-on are known.
      const isHeader = isOnHeader(options);
      const cures = isHeader ? profile.cures : [];
      const problem = isHeader
        ? (bootLevelProblem(profile, t) ?? firmwareProblem(profile, boardConfig(), t))
        : t.unknownChip(options.chip ?? '');
      if (problem !== null && !options.acceptBootLevel) throw new RelaygateError('refused', problem);
      await confirm(options, consequences(profile, chosen, t), terminal, t);
      const reply = await change(options, 'board', chosen);
      print({ ...reply, cures }, showUsedBoard);
    });
}

/** Throws errors other than those of an agent that does not know. */
function missingProfile(error: unknown, t: RelayctlTranslations): RelaygateError {
  if (!(error instanceof RelaygateError)) throw error;
  if (error.code === 'agent-unreachable')
    return new RelaygateError(error.code, t.cardUnknown(error.message), { cause: error });
  // The agent knows no such request.
  if (error.code === 'bad-usage') return new RelaygateError('refused', t.cardUnknown(t.olderAgent), { cause: error });
  throw error;
}

function profileNamed({ profiles, missing }: KnownProfiles, name: string, t: RelayctlTranslations): ShownProfile {
  const profile = profiles.find((candidate) => candidate.name === name);
  if (profile) return profile;
  const noBoard = t.noBoard(name, profiles.map((candidate) => candidate.name).join(', '));
  throw badUsage(missing === null ? noBoard : `${noBoard} ${missing.message}`);
}

function consequences(profile: ShownProfile, { board, relays }: ChosenBoard, t: RelayctlTranslations): string {
  const came = profile.fromCard ? t.cameWithCard(profile.hidesOwn) : null;
  return t.becomes(profile.name, came, relays.length, boardText(board, t.boardWords));
}

/** I5: a relay that closes before the guard runs is nothing that software could prevent. */
function bootLevelProblem({ name, bootLevels, cures, relays }: ShownProfile, t: RelayctlTranslations): string | null {
  if (cures.length === 0) return null;
  const risky = bootLevels.flatMap(({ isRisky }, n) => (isRisky ? (relays[n]?.label ?? []) : []));
  return t.mayClose(risky.join(', '), name, cures);
}

/** As `bootLevelProblem`, for a relay that the firmware closes because a former board needed that. */
function firmwareProblem(profile: ShownProfile, text: string | null, t: RelayctlTranslations): string | null {
  if (profile.kind !== 'gpio') return null;
  const closings = firmwareClosings(text, profile);
  if (closings.length === 0) return null;
  const labels = profile.relays.flatMap(({ bcm, label }) => (closings.some((one) => one.bcm === bcm) ? [label] : []));
  return t.firmwareCloses(labels.join(', '), profile.name, closingLinesOf(closings), BOARD_CONFIG_FILE);
}
