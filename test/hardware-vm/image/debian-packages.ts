/** Debian packages of another architecture, fetched and unpacked beside the machine's own, which never learns of them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetched } from './fetching';

/** Where a machine that is no Debian finds the archive; one that is has its own mirror. */
const ARCHIVE = 'http://deb.debian.org/debian';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const FETCH_LIMIT_MS = 4 * 60_000;
const UNPACK_LIMIT_MS = 60_000;

export class DebianPackages {
  readonly #folder: string;
  readonly #suite: string;
  readonly #options: readonly string[];

  /** `folder`: for indexes and packages. `architecture`: as Debian calls it. `suite`: a release's name. */
  constructor(folder: string, architecture: string, suite: string) {
    this.#folder = folder;
    this.#suite = suite;
    for (const part of ['lists/partial', 'archives/partial', 'debs']) {
      mkdirSync(join(folder, part), { recursive: true });
    }
    const sources = join(folder, 'sources.list');
    const status = join(folder, 'status');
    writeFileSync(sources, `deb [signed-by=${KEYRING}] ${archiveUrl()} ${suite} main\n`);
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
    fetched(`The index of Debian ${this.#suite}`, () =>
      run('apt-get', [...this.#options, '-qq', 'update'], this.#folder, FETCH_LIMIT_MS),
    );
  }

  /** The package behind one that only points at the newest: `linux-image-arm64` -> `linux-image-6.12.90-arm64`. */
  newestOf(pointer: string, pattern: RegExp): string {
    const names = this.dependenciesOf(pointer);
    const name = names.find((candidate) => pattern.test(candidate));
    if (name === undefined)
      throw new Error(`${pointer} of Debian ${this.#suite} depends on nothing like ${pattern}: ${names.join(' ')}`);
    return name;
  }

  dependenciesOf(name: string): string[] {
    const text = run('apt-cache', [...this.#options, 'depends', name], this.#folder, UNPACK_LIMIT_MS);
    return [...text.matchAll(/ Depends: (\S+)/g)].map(([, dependency = '']) => dependency);
  }

  /** Fetches packages and unpacks them, each into a folder of its name. */
  unpack(names: readonly string[], into: string): void {
    for (const [name, file] of this.#fetch(names)) this.#extract(file, join(into, name));
  }

  /** The same, into one folder, as packages that refer to each other want it. */
  unpackInto(names: readonly string[], folder: string): void {
    for (const [, file] of this.#fetch(names)) this.#extract(file, folder);
  }

  /** Names and files. */
  #fetch(names: readonly string[]): [string, string][] {
    const debs = join(this.#folder, 'debs');
    fetched(`${names.join(', ')} of Debian ${this.#suite}`, () =>
      run('apt-get', [...this.#options, '-qq', 'download', ...names], debs, FETCH_LIMIT_MS),
    );
    return names.map((name) => {
      const file = readdirSync(debs).find((entry) => entry.startsWith(`${name}_`));
      if (file === undefined) throw new Error(`apt-get has fetched no ${name}`);
      return [name, join(debs, file)];
    });
  }

  #extract(file: string, folder: string): void {
    mkdirSync(folder, { recursive: true });
    run('dpkg-deb', ['-x', file, folder], folder, UNPACK_LIMIT_MS);
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
