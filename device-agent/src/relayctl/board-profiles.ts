/** The board profiles that come with the program. Loaded for the `board` commands only: its validators cost a start. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RelaygateError } from '@relaygate/shared';
import { type BoardProfile, parseBoardProfile } from '@relaygate/shared/device';
import { problemOf } from '../runtime/problem';

/** Beside the programs' package, in the repository as on a device. */
const OWN_FOLDER = join(__dirname, '../../../hardware/boards');
const PROFILE = /^([^.].*)\.json$/;

/** All profiles of a folder, sorted by their names; without one: the program's own. Throws `file-corrupt`. */
export function readBoardProfiles(folder = OWN_FOLDER): BoardProfile[] {
  let names: string[];
  try {
    names = readdirSync(folder).flatMap((file) => PROFILE.exec(file)?.[1] ?? []);
  } catch (error) {
    throw new RelaygateError('file-corrupt', `The board profiles cannot be read: ${problemOf(error)}.`, {
      cause: error,
    });
  }
  return names.sort().map((name) => readProfile(join(folder, `${name}.json`), name));
}

function readProfile(path: string, name: string): BoardProfile {
  const parsed = parseBoardProfile(jsonOf(path));
  if (!parsed.ok) throw new RelaygateError('file-corrupt', `${path}: ${parsed.problem}.`);
  if (parsed.value.name === name) return parsed.value;
  throw new RelaygateError('file-corrupt', `${path}: its name must be "${name}", as that of the file.`);
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new RelaygateError('file-corrupt', `${path} is no board profile: ${problemOf(error)}.`, { cause: error });
  }
}
