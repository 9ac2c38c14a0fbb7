import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** As the kernel prints it. */
const LISTENING = '0A';
/** What the addresses leave room for. */
const NETWORKS = 32_768;
const TRIES = 8;

/**
 * A network of its own for a device: a namespace, a veth pair to this machine's network, and addresses of
 * 198.18.0.0/15, which is set aside for tests (RFC 2544). Needs root and iproute2.
 */
export class NetworkNamespace {
  /** Prefix of a command that runs inside. */
  readonly through: readonly string[];
  /** Of this machine, as the device sees it. */
  readonly hostAddress: string;
  readonly #name: string;
  readonly #hostEnd: string;

  /** Throws when this machine cannot. */
  constructor() {
    const own = addPair();
    const network = `198.${18 + (own >> 14)}.${(own >> 6) & 255}`;
    const first = (own & 63) * 4;
    this.#name = `rg-${own}`;
    this.#hostEnd = `rgh${own}`;
    this.hostAddress = `${network}.${first + 1}`;
    this.through = ['ip', 'netns', 'exec', this.#name];
    const inside = ['-n', this.#name];
    const deviceEnd = `rgd${own}`;
    try {
      ip('address', 'add', `${this.hostAddress}/30`, 'dev', this.#hostEnd);
      ip(...inside, 'address', 'add', `${network}.${first + 2}/30`, 'dev', deviceEnd);
      ip(...inside, 'link', 'set', 'lo', 'up');
      ip(...inside, 'link', 'set', deviceEnd, 'up');
      this.heal();
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  /** Nothing gets through, either way, and nobody is told: to both kernels the other side is silent. */
  blackhole(): void {
    ip('link', 'set', this.#hostEnd, 'down');
  }

  /** What the kernels still hold they deliver now, each when its next repetition is due. */
  heal(): void {
    ip('link', 'set', this.#hostEnd, 'up');
  }

  /** The veth pair goes with it. */
  remove(): void {
    ip('netns', 'delete', this.#name);
  }
}

/** What keeps namespaces from working here, in words; undefined when they work. */
export function namespacesMissing(): string | undefined {
  try {
    new NetworkNamespace().remove();
    return undefined;
  } catch (error) {
    const { stderr, message } = error as { stderr?: Buffer; message: string };
    const why = (stderr?.toString() || message).trim();
    return `network namespaces with a veth pair (root, iproute2), for true partitions (T5, T8, T9, T29): ${why}`;
  }
}

/** Connections at this local TCP port that some process still holds, from /proc/net/tcp (IPv4, this namespace). */
export function heldConnections(port: number, localAddress: string): number {
  return held(port, localAddress).length;
}

/** What the kernel has of a program's connection to that port of its client; null: the program holds it no more. */
export function heldConnection(port: number, localAddress: string, clientPort: number): { unsentBytes: number } | null {
  const own = held(port, localAddress).find(([, , from = '']) => from.endsWith(`:${hexOfPort(clientPort)}`));
  const [unsent = ''] = own?.[4]?.split(':') ?? [];
  return own ? { unsentBytes: Number.parseInt(unsent, 16) } : null;
}

function held(port: number, localAddress: string): string[][] {
  const local = `${hexOf(localAddress)}:${hexOfPort(port)}`;
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, at, , state, , , , , , inode]) => at === local && state !== LISTENING && inode !== '0');
}

const hexOfPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

/** As the kernel prints it: the last part first. */
function hexOf(address: string): string {
  const parts = address.split('.').map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0'));
  return parts.reverse().join('');
}

/**
 * A namespace and a veth pair into it, under a number that nothing here has: another run may go on beside this one, and the kernel
 * takes its time to remove a pair. Gives the number.
 */
function addPair(): number {
  for (let tries = 1; ; tries += 1) {
    const own = randomInt(NETWORKS);
    try {
      ip('netns', 'add', `rg-${own}`);
      try {
        ip('link', 'add', `rgh${own}`, 'type', 'veth', 'peer', 'name', `rgd${own}`, 'netns', `rg-${own}`);
        return own;
      } catch (error) {
        ip('netns', 'delete', `rg-${own}`);
        throw error;
      }
    } catch (error) {
      const said = String((error as { stderr?: Buffer }).stderr ?? '');
      if (!said.includes('File exists') || tries === TRIES) throw error;
    }
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
