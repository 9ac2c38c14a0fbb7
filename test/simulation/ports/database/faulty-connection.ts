import type { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';

export type Connection = ReturnType<typeof openSqlite>;
type Statement = ReturnType<Connection['prepare']>;

/** Stands around each statement that runs; `run` runs it. */
export type Around = (sql: string, args: readonly unknown[], run: () => unknown) => unknown;

const RUNS: ReadonlySet<PropertyKey> = new Set(['run', 'get', 'all']);

/**
 * A connection whose statements may fail, as they do when the disk fails under them. Most statements of a program are not
 * run in a seed, and none is compiled before it is.
 */
export function faultyConnection(db: Connection, around: Around = (_sql, _args, run) => run()): Connection {
  return new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== 'prepare') return value.bind(target);
      return (sql: string) => faultyStatement(target, sql, around);
    },
  });
}

function faultyStatement(db: Connection, sql: string, around: Around): object {
  let compiled: Statement | null = null;
  const methods = new Map<PropertyKey, unknown>();
  const methodOf = (name: PropertyKey): unknown => {
    compiled ??= db.prepare(sql);
    const target = compiled;
    const value: unknown = Reflect.get(target, name, target);
    if (typeof value !== 'function') return value;
    if (RUNS.has(name)) return (...args: unknown[]) => around(sql, args, () => value.apply(target, args));
    return (...args: unknown[]) => {
      const result: unknown = value.apply(target, args);
      return result === target ? proxy : result;
    };
  };
  const proxy = new Proxy(
    {},
    {
      get(_target, name) {
        if (!methods.has(name)) methods.set(name, methodOf(name));
        return methods.get(name);
      },
    },
  );
  return proxy;
}

export function sqliteError(code: string): Error {
  return Object.assign(new Error(`the simulated disk: ${code}`), { code });
}
