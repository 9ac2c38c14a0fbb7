/** What `board use` asks the agent for. */

import type { BoardProfile, GpioInput, GpioProfile, Level, RealBoardSettings } from '@relaygate/shared/device';
import { MAX_MODBUS_ADDRESS } from '@relaygate/shared/limits';
import { badUsage } from '../../runtime/complaint';

export interface BoardChoiceOptions {
  port?: string;
  address?: string;
  chip?: string;
  sysfs?: boolean;
}

export interface ChosenBoard {
  board: RealBoardSettings;
  relays: string[];
  activeLevel: Level;
}

/** Throws `bad-usage` if an option is missing, or is for another kind of board. */
export function chosenBoard(profile: BoardProfile, options: BoardChoiceOptions): ChosenBoard {
  const { kind, name } = profile;
  if (kind === 'gpio') {
    refuseForeign(name, options, ['port', 'address']);
    if (options.chip?.trim() === '')
      throw badUsage('--chip is the label of a GPIO chip, as "gpiodetect" shows it in brackets.');
    return {
      board: {
        kind: options.sysfs ? 'gpio-sysfs' : 'gpio',
        profile: name,
        ...(options.chip === undefined ? {} : { chip: options.chip }),
        lines: profile.relays.map(({ bcm }) => bcm),
        ...inputsOf(profile, options.sysfs === true),
      },
      relays: profile.relays.map(({ label }) => label),
      activeLevel: profile.activeLevel,
    };
  }
  refuseForeign(name, options, ['chip', 'sysfs']);
  const { port } = options;
  if (port === undefined) throw badUsage(`"${name}" needs --port, one of those that "relayctl board ports" shows.`);
  const labels = profile.relays.map(({ label }) => label);
  if (kind === 'lcus') {
    refuseForeign(name, options, ['address']);
    return { board: { kind, profile: name, port, relays: labels.length }, relays: labels, activeLevel: 'high' };
  }
  const { baud, parity, flashOn, inputs } = profile;
  const addresses = options.address === undefined ? [profile.address] : addressesOf(options.address);
  const units = addresses.map((address) => ({ address, relays: labels.length, flashOn, ...(inputs && { inputs }) }));
  return {
    board: { kind, profile: name, port, baud, parity, units },
    relays: addresses.flatMap((address) =>
      addresses.length === 1 ? labels : labels.map((label) => `${label} at ${address}`),
    ),
    activeLevel: 'high',
  };
}

/** Through sysfs no resistor can be chosen. */
function inputsOf({ inputs }: GpioProfile, sysfs: boolean): { inputs?: GpioInput[] } {
  if (inputs === undefined) return {};
  return { inputs: inputs.map(({ bcm, bias }) => ({ line: bcm, ...(bias === undefined || sysfs ? {} : { bias }) })) };
}

function refuseForeign(
  name: string,
  options: BoardChoiceOptions,
  foreign: readonly (keyof BoardChoiceOptions)[],
): void {
  const given = foreign.find((option) => options[option] !== undefined);
  if (given !== undefined) throw badUsage(`--${given} means nothing to "${name}".`);
}

function addressesOf(list: string): number[] {
  const addresses = list.split(',').map(Number);
  if (addresses.every((address) => Number.isInteger(address) && address >= 1 && address <= MAX_MODBUS_ADDRESS))
    return addresses;
  throw badUsage(`--address is a list of numbers from 1 to ${MAX_MODBUS_ADDRESS}, such as 1,2,3.`);
}
