/** The button of the technician's page as an installer names it: by the line that it is wired to. */
import type { DeviceSettings } from '@relaygate/shared/device';
import { wrongSite } from './site-text';

/** A button to ground at that line. Throws `bad-setting` if the board has no such free line. */
export function withButton(settings: DeviceSettings, line: number): DeviceSettings {
  const { board, web } = settings;
  if (board.kind !== 'gpio')
    throw wrongSite(`web.buttonLine is for boards of kind gpio, and this one is of kind ${board.kind}`);
  const numOutput = board.lines.indexOf(line);
  if (numOutput >= 0) throw wrongSite(`web.buttonLine is ${line}, which is the line of output ${numOutput}`);
  const inputs = board.inputs ?? [];
  const found = inputs.findIndex((input) => input.line === line);
  const isNew = found < 0;
  return {
    ...settings,
    board: isNew ? { ...board, inputs: [...inputs, { line, bias: 'pull-up' }] } : board,
    web: { ...web, buttonInput: isNew ? inputs.length : found, buttonActiveLevel: 'low' },
  };
}
