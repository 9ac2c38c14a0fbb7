/**
 * A program that makes clients: FILE WRITER PREFIX COUNT. Prints `ready`, then the name of each client once its write is
 * acknowledged. Eight at a time through a writer thread, or one after the other when WRITER is `cli`, as commands do.
 */
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import { client } from './samples';

const [file = '', writerName = '', prefix = '', count = '0'] = process.argv.slice(2);

async function main(): Promise<void> {
  const inline = writerName === 'cli';
  const storage = await openSqliteStorage({ file, writerName, inline, writeTimeoutMs: 10_000 });
  console.log('ready');
  let made = 0;
  const makeSome = async (): Promise<void> => {
    while (made < Number(count)) {
      made += 1;
      const id = `${prefix}-${made}`;
      await storage.createClient(client(id));
      console.log(id);
      // Lets another process have its turn, as the time between two commands would.
      if (inline) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: inline ? 1 : 8 }, makeSome));
  await storage.close();
}

void main();
