import { RelaygateError } from '@relaygate/shared';

/** What the client of NATS connects to, and who it is there. */
export interface NatsServers {
  /** HOST:PORT of each. */
  servers: string[];
  isTls: boolean;
  user?: string;
  pass?: string;
  token?: string;
}

const DEFAULT_PORT = '4222';

/**
 * Reads `nats://HOST:PORT` or `tls://...`, several with commas between. `USER:PASSWORD@` or `TOKEN@` stands before one host or
 * before all, the same for all. `nats://` to another machine has to end with `?tls=disable`: who is on the way reads the password,
 * and can keep messages away. Fails with `bad-setting`, with no part of the text in the message: it may hold a secret.
 */
export function natsServers(text: string, setting: string): NatsServers {
  const urls = text.split(',').map((each) => urlOf(each.trim(), setting));
  const [first] = urls;
  if (!first || urls.some(({ protocol }) => protocol !== first.protocol))
    throw unusable(setting, 'all of it nats:// or all of it tls://');
  const named = urls.filter(({ username }) => username !== '');
  const { username, password } = named[0] ?? first;
  if (named.some((url) => url.username !== username || url.password !== password))
    throw unusable(setting, 'the same user or token for all servers');
  const isTls = first.protocol === 'tls:';
  const servers = urls.map(({ hostname, port }) => `${hostname}:${port === '' ? DEFAULT_PORT : port}`);
  if (username === '') return { servers, isTls };
  const [user, pass] = [decoded(username, setting), decoded(password, setting)];
  return pass === '' ? { servers, isTls, token: user } : { servers, isTls, user, pass };
}

function urlOf(text: string, setting: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isUsable = url && /^(nats|tls):$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname);
  if (
    !isUsable ||
    !/^(\?tls=disable)?$/.test(url.search) ||
    url.hash !== '' ||
    (url.username === '' && url.password !== '')
  )
    throw unusable(setting, 'nats://HOST:PORT or tls://HOST:PORT, with USER:PASSWORD@ or TOKEN@ before the host');
  if (url.protocol === 'tls:' ? url.search !== '' : url.search === '' && !isOnThisMachine(url.hostname))
    throw unusable(
      setting,
      'tls://HOST:PORT for another machine, or nats://HOST:PORT?tls=disable where nobody else reaches the network between',
    );
  return url;
}

function isOnThisMachine(hostname: string): boolean {
  return hostname.toLowerCase() === 'localhost' || hostname === '[::1]' || /^127\.[0-9.]+$/.test(hostname);
}

function decoded(text: string, setting: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unusable(setting, 'a user, password or token whose percent signs are written %25');
  }
}

function unusable(setting: string, form: string): RelaygateError {
  return new RelaygateError('bad-setting', `${setting} cannot be used; it may be ${form}.`);
}
