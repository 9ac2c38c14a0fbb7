import { readFileSync } from 'node:fs';
import { messageOf } from '../foreign-error';
import { tryToWrite, writeDurably } from './durable-file';

/**
 * A program of its own: it writes its standard input to the file that its argument names. Without input it only tries whether it
 * can write there. It loads little, because it runs each minute.
 */

const [, , file = '', mode = ''] = process.argv;
try {
  const text = readFileSync(process.stdin.fd, 'utf8');
  if (text === '') tryToWrite(file);
  else writeDurably(file, text, Number.parseInt(mode, 8));
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
