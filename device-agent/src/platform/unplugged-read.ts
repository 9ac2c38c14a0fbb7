import { read } from 'node:fs';
import { promisify } from 'node:util';
import type { LinuxBindingInterface, LinuxPortBinding } from '@serialport/bindings-cpp';
import { codeOf, failure } from '../runtime/problem';

const readSome = promisify(read);

/**
 * serialport's binding, whose ports notice that their adapter was unplugged: reading then rejects, and serialport closes
 * them. Its own reading takes "end of file" for "nothing yet", tries again at once and never ends
 * (serialport/bindings-cpp#162). The other methods are serialport's.
 */
export function noticingUnplug(binding: LinuxBindingInterface): LinuxBindingInterface {
  return {
    list: () => binding.list(),
    async open(options) {
      const port = await binding.open(options);
      port.read = (buffer, offset, length) => readFrom(port, buffer, offset, length);
      return port;
    },
  };
}

async function readFrom(
  port: LinuxPortBinding,
  buffer: Buffer,
  offset: number,
  length: number,
): Promise<{ buffer: Buffer; bytesRead: number }> {
  while (port.fd !== null) {
    try {
      const { bytesRead } = await readSome(port.fd, buffer, offset, length, null);
      if (bytesRead > 0) return { buffer, bytesRead };
      throw failure('unplugged', {});
    } catch (error) {
      if (codeOf(error) === 'EAGAIN') await readable(port);
      else if (codeOf(error) !== 'EINTR') throw error;
    }
  }
  throw failure('port-closed', {});
}

/** Resolves when there may be bytes; rejects when there never will be, as when the port is closed. */
async function readable(port: LinuxPortBinding): Promise<void> {
  // A closed port's poller is freed memory.
  if (port.fd === null) return;
  await new Promise<void>((resolve, reject) => {
    port.poller.once('readable', (error) => (error ? reject(error) : resolve()));
  });
}
