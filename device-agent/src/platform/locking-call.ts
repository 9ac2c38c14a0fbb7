/** False: another one has the lock. Throws the system's error. */
export type LockingCall = (...given: unknown[]) => boolean;

const loaded = new Map<string, LockingCall>();

/** A function of the C library that takes a lock: Node has none, hence koffi, which is loaded with the first one. */
export function lockingCall(signature: string): LockingCall {
  const call = loaded.get(signature) ?? loadCall(signature);
  loaded.set(signature, call);
  return call;
}

function loadCall(signature: string): LockingCall {
  const koffi: typeof import('koffi') = require('koffi');
  const codes: Record<string, number> = koffi.os.errno;
  const call = koffi.load(null).func(signature);
  return (...given) => {
    if (call(...given) === 0) return true;
    const errno = koffi.errno();
    if (errno === codes.EAGAIN || errno === codes.EACCES) return false;
    const code = Object.keys(codes).find((name) => codes[name] === errno) ?? `errno ${errno}`;
    throw Object.assign(new Error(`${code}: the lock cannot be taken`), { code, errno });
  };
}
