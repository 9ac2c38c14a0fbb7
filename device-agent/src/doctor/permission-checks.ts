/** Who may read and write what. */

import { dataPathsIn } from '../files/data-paths';
import type { Check } from './check-context';
import { fail, ok, warn } from './finding';

const GROUP_OR_OTHERS = 0o077;
const OTHERS_WRITE = 0o002;
const OTHERS = 0o007;

export const secretFiles: Check = ({ machine, folders: { dataDir } }) => {
  const folder = machine.rightsOf(dataDir);
  if (folder === null) return fail('data-missing', { folder: dataDir });
  const { identity, pin, enrolmentCode, webCertificate } = dataPathsIn(dataDir);
  const found = [identity, pin, enrolmentCode, webCertificate].flatMap((path) => {
    const rights = machine.rightsOf(path);
    return rights ? [{ path, ...rights }] : [];
  });
  const pathsOf = (files: typeof found): string[] => files.map(({ path }) => path);
  const open = found.filter(({ mode }) => (mode & GROUP_OR_OTHERS) !== 0);
  if (open.length > 0) return fail('secrets-open', { paths: pathsOf(open) });
  const foreign = found.filter(({ uid }) => uid !== folder.uid);
  if (foreign.length > 0) return warn('secrets-foreign', { folder: dataDir, paths: pathsOf(foreign) });
  return found.length === 0 ? ok('no-secrets', {}) : ok('secrets-closed', {});
};

export const openFolders: Check = ({ machine, folders: { dataDir, agentSocket, guardSocket } }) => {
  const isBad = (path: string, bits: number): boolean => ((machine.rightsOf(path)?.mode ?? 0) & bits) !== 0;
  const paths = [
    ...[dataDir, dataPathsIn(dataDir).settings].filter((path) => isBad(path, OTHERS_WRITE)),
    ...[agentSocket, guardSocket].filter((path) => isBad(path, OTHERS)),
  ];
  return paths.length === 0 ? ok('access-closed', {}) : fail('access-open', { paths });
};
