/** Who may read and write what. */

import { dataPathsIn } from '../files/data-paths';
import type { Check } from './check-context';
import { fail, ok, warn } from './finding';

const GROUP_OR_OTHERS = 0o077;
const OTHERS_WRITE = 0o002;
const OTHERS = 0o007;

/** The package's folder is root's and the group's; the agent has a user of its own. */
const AGENT_USER = 'relaygate-agent';

export const secretFiles: Check = async ({ machine, folders: { dataDir } }) => {
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
  const agentUid = folder.uid === 0 ? await machine.run('id', ['-u', AGENT_USER]) : null;
  const ownerUid = agentUid === null ? folder.uid : Number(agentUid);
  const foreign = found.filter(({ uid }) => uid !== ownerUid);
  const owner = agentUid === null ? String(folder.uid) : AGENT_USER;
  if (foreign.length > 0) return warn('secrets-foreign', { owner, paths: pathsOf(foreign) });
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
