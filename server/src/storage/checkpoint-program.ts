import { readFileSync } from 'node:fs';
import { writeDurably } from './durable-file';

/** A program of its own: writes its standard input to the file that its argument names. It loads little, because it runs each minute. */

const [, , file = '', mode = ''] = process.argv;
try {
  writeDurably(file, readFileSync(process.stdin.fd, 'utf8'), Number.parseInt(mode, 8));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
