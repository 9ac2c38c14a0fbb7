/**
 * What is wrong with settings, as English phrases that begin with the member. They are loaded when something is wrong; other
 * languages have theirs by the same codes.
 */
import type { Fault } from '../parser';

type InputOf = { member: string; input: number };
type ButtonOf = { numInput: number; numOutput: number };

const PROBLEMS = {
  'line-twice': ({ line }: { line: number }) => `board.lines names line ${line} twice`,
  'line-taken': ({ line }: { line: number }) => `board.inputs names line ${line}, which has another use`,
  'address-twice': ({ address }: { address: number }) => `board.units names address ${address} twice`,
  'too-many-inputs': ({ inputs, most }: { inputs: number; most: number }) =>
    `board.units have ${inputs} inputs, and at most ${most} can be read`,
  'lines-count': ({ count, outputs }: { count: number; outputs: number }) =>
    `board.lines has ${count} lines for ${outputs} outputs`,
  'units-count': ({ count, outputs }: { count: number; outputs: number }) =>
    `board.units have ${count} relays for ${outputs} outputs`,
  'relays-count': ({ count, outputs }: { count: number; outputs: number }) =>
    `board.relays is ${count} relays for ${outputs} outputs`,
  'serial-polarity': ({ numOutput }: { numOutput: number }) =>
    `outputs.${numOutput}.activeLevel must be "high" on a serial board`,

  'board-without-inputs': ({ member, input, kind }: InputOf & { kind: string }) =>
    `${member} is ${input}, but the board of kind ${kind} has no inputs`,
  'no-inputs-set': ({ member, input, from }: InputOf & { from: string }) =>
    `${member} is ${input}, but the board has no inputs (${from})`,
  'no-such-input': ({ member, input, last, from }: InputOf & { last: number; from: string }) =>
    `${member} is ${input}, but the board has the inputs 0 to ${last} (${from})`,
  'input-is-feedback': ({ member, input, numOutput }: InputOf & { numOutput: number }) =>
    `${member}: input ${input} shows output ${numOutput} already`,
  'input-has-meaning': ({ member, input }: InputOf) => `${member}: input ${input} has a meaning already`,

  'limit-short': ({ numOutput, leastMs }: { numOutput: number; leastMs: number }) =>
    `outputs.${numOutput}: maxOnMs is 0 or at least ${leastMs}`,
  'only-on-off': ({ numOutput, members }: { numOutput: number; members: readonly string[] }) =>
    `outputs.${numOutput}: ${members.join(', ')} is for on-off outputs, and mode is impulse`,

  'button-no-output': ({ numInput, numOutput, count }: ButtonOf & { count: number }) =>
    `inputs.${numInput}.output is ${numOutput}, but there ${count === 1 ? 'is 1 output' : `are ${count} outputs`}`,
  'button-of-mode': ({ numInput, action, mode, numOutput }: ButtonOf & { action: string; mode: string }) =>
    `inputs.${numInput}.action is ${action}, which is for ${mode} outputs, and output ${numOutput} is not`,
  'hold-without-limit': ({ numInput, numOutput }: ButtonOf) =>
    `inputs.${numInput}.action is hold, and output ${numOutput} has no maxOnMs`,
  'hold-power-on': ({ numInput, numOutput }: ButtonOf) =>
    `inputs.${numInput}.action is hold, and powerOn of output ${numOutput} is not off`,
  'hold-twice': ({ numInput, numOutput }: ButtonOf) =>
    `inputs.${numInput}.output ${numOutput} has another button with action hold`,

  'console-on-board': (_: object) => 'console.port is the port of the relay board',
  'console-on-lines': ({ lines, line }: { lines: readonly number[]; line: number }) =>
    `console.port is the UART at the lines ${lines.join(' and ')}, and line ${line} is in use`,
};

type Values = { [Code in keyof typeof PROBLEMS]: Parameters<(typeof PROBLEMS)[Code]>[0] };
export type SettingsProblems = { readonly [Code in keyof Values]: (values: Values[Code]) => string };

const PHRASES: SettingsProblems = PROBLEMS;

export function faultOf<Code extends keyof Values>(code: Code, values: Values[Code]): Fault {
  return { code, values, text: PHRASES[code](values) };
}
