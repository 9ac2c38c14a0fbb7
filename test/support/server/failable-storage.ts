import type { Storage } from '@relaygate/server/storage/storage';
import { RelaygateError } from '@relaygate/shared';

/** True: all of the storage's methods. */
export interface Failing {
  now: boolean | keyof Storage;
}

/** The storage, refusing what `failing` says. */
export function failable(storage: Storage, failing: Failing): Storage {
  return new Proxy(storage, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function' || name === 'close') return method;
      return async (...args: unknown[]) => {
        if (failing.now === true || failing.now === name) throw new RelaygateError('storage-unavailable');
        return method.apply(target, args);
      };
    },
  });
}
