import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A program called nmcli in a folder of its own, to be put before others in PATH. It notes what it is asked. */
export class ScriptedNmcli {
  readonly folder = mkdtempSync(join(tmpdir(), 'rg-nmcli-'));

  /** `devices`: what it lists; `fails`: the arguments at which it ends with that exit code, and a word. */
  says(devices: string, fails: Record<string, number> = {}): void {
    const cases = Object.entries(fails).map(([args, code]) => `*"${args}"*) echo "Error: no $*." >&2; exit ${code};;`);
    const text = `#!/bin/sh
echo "$*" >> ${this.folder}/asked
for last; do :; done
case "$*" in *passwd-file*) cat "$last" >> ${this.folder}/secrets;; esac
case "$*" in
${cases.join('\n')}
*DEVICE,TYPE*) printf '${devices}';;
esac
`;
    writeFileSync(join(this.folder, 'nmcli'), text, { mode: 0o755 });
  }

  /** One line a call. */
  get asked(): string[] {
    const path = join(this.folder, 'asked');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  }

  /** What the files of secrets held that it was given. */
  get secrets(): string {
    return readFileSync(join(this.folder, 'secrets'), 'utf8');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
