/** Numbers on a command line. The agent checks ranges; a text that is no such number is refused here. */
import { Argument, InvalidArgumentError } from 'commander';

export const WHOLE_NUMBER = /^(0|[1-9][0-9]{0,8})$/;

export function wholeNumber(text: string): number {
  if (!WHOLE_NUMBER.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

export function numOutputArgument(): Argument {
  return new Argument('<n>', 'number of the output, from 0').argParser(wholeNumber);
}

export function numInputArgument(): Argument {
  return new Argument('<n>', 'number of the input on the board, from 0').argParser(wholeNumber);
}
