const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** A fault of the server's address that no pattern can find: a phrase to follow the member's name. Null if there is none. */
export function serverUrlProblem(serverUrl: string): string | null {
  if (!URL.canParse(serverUrl)) return `is no address: ${serverUrl}`;
  const url = new URL(serverUrl);
  if (url.protocol !== 'wss:' && url.protocol !== 'ws:') return 'must begin with wss://';
  if (url.protocol === 'ws:' && !LOOPBACK.test(url.hostname))
    return 'must be wss://; ws:// is for a server on this machine only';
  if (/[?#@]/.test(serverUrl) || !/^\/*$/.test(url.pathname))
    return 'is "wss://host" or "wss://host:port", without user, path, query or fragment';
  return null;
}
