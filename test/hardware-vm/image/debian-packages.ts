/** Debian packages of another architecture, fetched and unpacked beside the machine's own, which never learns of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a machine that is no Debian finds the archive; one that is has its own mirror. */
const ARCHIVE = 'http://deb.debian.org/debian';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** Its kernel knows `persist_gpio_outputs`; the older releases' do not. */
const SUITE = 'trixie';
const FETCH_LIMIT_MS = 8 * 60_000;
const UNPACK_LIMIT_MS = 60_000;

export class DebianPackages {
  readonly #folder: string;
  readonly #options: readonly string[];

  /** `folder`: for indexes and packages. `architecture`: as Debian calls it. */
  constructor(folder: string, architecture: string) {
    this.#folder = folder;
    for (const part of ['lists/partial', 'archives/partial', 'debs']) {
      mkdirSync(join(folder, part), { recursive: true });
    }
    const sources = join(folder, 'sources.list');
    const status = join(folder, 'status');
    writeFileSync(sources, `deb [signed-by=${KEYRING}] ${archiveUrl()} ${SUITE} main\n`);
    writeFileSync(status, '');
    this.#options = [
      ['Dir::State', folder],
      ['Dir::State::status', status],
      ['Dir::Cache', folder],
      ['Dir::Etc::sourcelist', sources],
      ['Dir::Etc::sourceparts', '/dev/null'],
      ['APT::Architecture', architecture],
      ['APT::Architectures', architecture],
      // Root's apt would become _apt, who may not write here.
      ['APT::Sandbox::User', 'root'],
      ['Acquire::Retries', '2'],
      // Else an archive that is out of reach is a warning.
      ['APT::Update::Error-Mode', 'any'],
    ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  }

  /** Asks the archive what there is. */
  update(): void {
    run('apt-get', [...this.#options, '-qq', 'update'], this.#folder, FETCH_LIMIT_MS);
  }

  /** The package behind one that only points at the newest: `linux-image-arm64` -> `linux-image-6.12.90-arm64`. */
  newestOf(pointer: string, pattern: RegExp): string {
    const text = run('apt-cache', [...this.#options, 'depends', pointer], this.#folder, UNPACK_LIMIT_MS);
    const [, name] = text.match(pattern) ?? [];
    if (name === undefined)
      throw new Error(`${pointer} of Debian ${SUITE} depends on nothing like ${pattern}:\n${text}`);
    return name;
  }

  /** Fetches packages and unpacks them, each into a folder of its name. */
  unpack(names: readonly string[], into: string): void {
    const debs = join(this.#folder, 'debs');
    mkdirSync(into, { recursive: true });
    run('apt-get', [...this.#options, '-qq', 'download', ...names], debs, FETCH_LIMIT_MS);
    for (const name of names) {
      const file = readdirSync(debs).find((entry) => entry.startsWith(`${name}_`));
      if (file === undefined) throw new Error(`apt-get has fetched no ${name}`);
      run('dpkg-deb', ['-x', join(debs, file), join(into, name)], debs, UNPACK_LIMIT_MS);
    }
  }
}

/** The mirror that this machine uses itself is the one that it surely reaches. */
function archiveUrl(): string {
  if (!existsSync(KEYRING)) {
    throw new Error(`${KEYRING} is missing (Debian package debian-archive-keyring)`);
  }
  const args = ['indextargets', '--format', '$(ORIGIN) $(REPO_URI)', 'Created-By: Packages'];
  const lines = run('apt-get', args, '/', UNPACK_LIMIT_MS).split('\n');
  const own = lines.map((line) => line.match(/^Debian (\S+\/debian)\/?$/)?.[1]).find((url) => url !== undefined);
  return own ?? ARCHIVE;
}

function run(command: string, args: readonly string[], cwd: string, timeout: number): string {
  return execFileSync(command, [...args], { cwd, timeout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
