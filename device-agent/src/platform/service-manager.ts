import { monotonicNowMs } from '@relaygate/shared/system-clock';

/** What a program reports to systemd (sd_notify(3)); without systemd it reports nothing. */
export interface ServiceManager {
  /** The program does its work from now on; the watchdog is fed by its event loop until the process ends. */
  ready(): void;
  stopping(): void;
}

/** How often within its time the watchdog is fed; systemd asks for twice. */
const FEEDS = 4;
/** From linux/socket.h and asm-generic/fcntl.h; the same on every processor that Node runs on but MIPS. */
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/** `env` is taken as systemd sets it: NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID. */
export function serviceManager(env: NodeJS.ProcessEnv): ServiceManager {
  const path = env.NOTIFY_SOCKET;
  if (!path) return { ready() {}, stopping() {} };
  const send = sender(path);
  const watchdogMs = env.WATCHDOG_PID === String(process.pid) ? Number(env.WATCHDOG_USEC) / 1000 : 0;
  return {
    ready() {
      send('READY=1');
      // systemd counts from READY on.
      if (watchdogMs > 0) setInterval(() => send('WATCHDOG=1'), watchdogMs / FEEDS).unref();
    },
    stopping: () => send(`STOPPING=1\nMONOTONIC_USEC=${Math.floor(monotonicNowMs() * 1000)}`),
  };
}

/** Sends datagrams, which Node does only for IP addresses. None waits: a busy service manager gets the next one. */
function sender(path: string): (text: string) => void {
  const koffi: typeof import('koffi') = require('koffi');
  const libc = koffi.load(null);
  const socket = libc.func('int socket(int domain, int type, int protocol)');
  const sendto = libc.func(
    'int64_t sendto(int fd, const void *bytes, size_t length, int flags, const void *address, uint32_t size)',
  );
  const address = addressOf(path);
  const fd: number = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return (text) => {
    const bytes = Buffer.from(text);
    sendto(fd, bytes, bytes.length, MSG_DONTWAIT | MSG_NOSIGNAL, address, address.length);
  };
}

/** struct sockaddr_un (unix(7)); `@` stands for the zero byte before an abstract name. */
function addressOf(path: string): Buffer {
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  const isAbstract = path.startsWith('@');
  return Buffer.concat([family, Buffer.from(isAbstract ? `\0${path.slice(1)}` : `${path}\0`)]);
}
