import type { ButtonSettings, InputSettings } from '@relaygate/shared/device';
import type { AskedCommand } from './history';

/** What a button's command is called in journals. */
const COMMAND_ID = /^button-(\d+)-(press|release)-(\d+)$/;

export interface ButtonCommand {
  numInput: number;
  what: 'press' | 'release';
  /** Of the edge on the device's clock, rounded. */
  clockMs: number;
}

/** null: it is no button's. */
export function buttonCommandOf(commandId: string): ButtonCommand | null {
  const [, numInput, what, clockMs] = COMMAND_ID.exec(commandId) ?? [];
  if (what !== 'press' && what !== 'release') return null;
  return { numInput: Number(numInput), what, clockMs: Number(clockMs) };
}

export function buttonOf(inputs: readonly InputSettings[], numInput: number): ButtonSettings | undefined {
  return inputs.find((input) => input.kind === 'button' && input.numInput === numInput) as ButtonSettings | undefined;
}

/** What a guard does for a button, as if somebody had asked for it; undefined: it is no button's. */
export function pressOf(
  commandId: string,
  inputs: readonly InputSettings[],
): Pick<AskedCommand, 'numOutput' | 'command' | 'by'> | undefined {
  const command = buttonCommandOf(commandId);
  const button = command && buttonOf(inputs, command.numInput);
  if (!button) return undefined;
  const { output: numOutput, action, name } = button;
  const wanted =
    command.what === 'release' ? ({ action: 'set', state: 0 } as const) : ({ action: 'set', state: 1 } as const);
  return { numOutput, by: `button ${name}`, command: action === 'hold' ? wanted : { action } };
}
