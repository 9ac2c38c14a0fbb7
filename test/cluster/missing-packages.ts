import { missingProgram } from '../support/processes/missing-program';
import { missingPostgres } from '../support/server/postgres-server';

/** What to install, in a sentence; undefined when all is there. */
export function missingPackages(): string | undefined {
  const packages = [
    missingPostgres() && 'postgresql',
    missingProgram('nats-server', 'nats-server') && 'nats-server',
    missingProgram('haproxy', 'haproxy') && 'haproxy',
  ].filter((name) => name !== undefined);
  if (packages.length === 0) return undefined;
  return `The cluster needs programs that are not here. On Debian: apt-get install --no-install-recommends ${packages.join(' ')}`;
}
