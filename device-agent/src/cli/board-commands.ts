/** `relayctl board`: which relay board this device drives. */
import type { BoardProfile } from '@relaygate/shared/device';
import { RelaygateError } from '@relaygate/shared/errors';
import type { Command } from 'commander';
import type { BoardReply } from '../agent/local-messages/board';
import { type BoardChoiceOptions, type ChosenBoard, chosenBoard } from '../boards/board-choice';
import { boardWords } from '../boards/board-words';
import type { CommandPorts } from './command-ports';
import { type ConfirmOptions, confirm, withYes } from './confirmation';
import type { SerialPortFound } from './serial-ports';
import { shownProfile, showPorts, showProfile, showProfiles, showUsedBoard } from './show-board';
import type { Terminal } from './terminal';

export interface BoardCommandPorts extends CommandPorts {
  terminal: Terminal;
  /** All profiles of a folder; undefined: those that come with the program. */
  boards(folder: string | undefined): BoardProfile[];
  /** The serial adapters of this machine. */
  serialPorts(profiles: readonly BoardProfile[]): SerialPortFound[];
}

interface BoardOptions {
  profiles?: string;
}

interface UseOptions extends BoardOptions, BoardChoiceOptions, ConfirmOptions {
  acceptBootLevel?: boolean;
}

const EXAMPLES = `
Examples:
  relayctl board list
  relayctl board show waveshare-rpi-relay-board
  relayctl board use generic-active-high --yes        in a script: it asks nothing
  relayctl board use waveshare-rpi-relay-board --accept-boot-level
  relayctl board ports
  relayctl board use waveshare-modbus-rtu-relay-8ch --port /dev/serial/by-id/usb-FTDI_A1-if00-port0 --address 1,2`;

export function addBoardCommands(program: Command, ports: BoardCommandPorts): void {
  const { boards, serialPorts, command, print, change, terminal } = ports;
  const board = command(program, 'board', 'which relay board this device drives').addHelpText('after', EXAMPLES);
  const subcommand = (name: string, description: string): Command =>
    command(board, name, description).option('--profiles <dir>', 'folder of board profiles, instead of the own ones');

  subcommand('list', 'the boards that are known').action((options: BoardOptions) =>
    print(boards(options.profiles).map(shownProfile), showProfiles),
  );
  subcommand('show', "a board's wiring, and what its relays do at power-on")
    .argument('<name>', 'as "board list" shows it')
    .action((name: string, options: BoardOptions) => {
      print(shownProfile(profileNamed(boards(options.profiles), name)), showProfile);
    });
  subcommand('ports', 'the serial adapters that are plugged in, and how to name them').action((options: BoardOptions) =>
    print(serialPorts(boards(options.profiles)), showPorts),
  );
  withYes(subcommand('use', 'writes the board into the settings, for the next start of guard and agent'))
    .argument('<name>', 'as "board list" shows it')
    .option('--port <path>', 'serial boards: the adapter, as "board ports" shows it')
    .option('--address <list>', 'Modbus boards: their addresses on the bus, such as 1,2,3; each is one such board')
    .option('--chip <label>', "label of the GPIO chip, if it is not that of the Raspberry Pi's header")
    .option('--sysfs', 'through /sys/class/gpio, for kernels before 5.10')
    .option('--accept-boot-level', 'also a board whose relays may close at power-on, before the guard runs')
    .action(async (name: string, options: UseOptions) => {
      const profile = shownProfile(profileNamed(boards(options.profiles), name));
      const { cures } = profile;
      if (cures.length > 0 && !options.acceptBootLevel) throw bootLevelProblem(profile);
      const chosen = chosenBoard(profile, options);
      await confirm(options, consequences(profile.name, chosen), terminal);
      const reply = await change<BoardReply>(options, 'board', chosen);
      print({ ...reply, cures }, showUsedBoard);
    });
}

function profileNamed(profiles: readonly BoardProfile[], name: string): BoardProfile {
  const profile = profiles.find((candidate) => candidate.name === name);
  if (profile) return profile;
  const names = profiles.map((candidate) => candidate.name).join(', ');
  throw new RelaygateError('bad-usage', `There is no board "${name}"; there are ${names}.`);
}

function consequences(name: string, { board, relays }: ChosenBoard): string {
  return (
    `"${name}" will be the board of this device, with ${relays.length} outputs: ${boardWords(board)}. Outputs keep their ` +
    'names and modes, those beyond its relays are removed, and the wiring is to be proven anew. Nothing moves, and ' +
    'nothing is in force before guard and agent are restarted.'
  );
}

/** I5: a relay that closes before the guard runs is nothing that software could prevent. */
function bootLevelProblem({ name, bootLevels, cures, relays }: ReturnType<typeof shownProfile>): RelaygateError {
  const risky = bootLevels.flatMap(({ isRisky }, n) => (isRisky ? (relays[n]?.label ?? []) : []));
  const resistors = cures.flatMap(({ resistor }) => resistor ?? []).join(', ');
  return new RelaygateError(
    'refused',
    `At power-on ${risky.join(', ')} of "${name}" may close before the guard runs. Hold them open by a resistor each ` +
      `(${resistors}) and in config.txt by ${cures.map(({ configLine }) => configLine).join(', ')}; then, or if nobody is ` +
      'harmed, use --accept-boot-level.',
  );
}
