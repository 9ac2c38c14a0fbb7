/** Who may read and write what. */
import { fail, ok, warn } from './finding';
import type { Check } from './look';

const SECRETS = ['identity.json', 'pin.json', 'enrolment-code', 'web-certificate.json'];
const GROUP_OR_OTHERS = 0o077;
const OTHERS_WRITE = 0o002;
const OTHERS = 0o007;

export const secretFiles: Check = ({ machine, folders: { dataDir } }) => {
  const name = 'secrets';
  const folder = machine.rightsOf(dataDir);
  if (folder === null)
    return fail(
      name,
      `${dataDir} is missing`,
      'nothing can be saved',
      'give the folder by --data, or install the package',
    );
  const found = SECRETS.flatMap((file) => {
    const rights = machine.rightsOf(`${dataDir}/${file}`);
    return rights ? [{ path: `${dataDir}/${file}`, ...rights }] : [];
  });
  const open = found.filter(({ mode }) => (mode & GROUP_OR_OTHERS) !== 0);
  if (open.length > 0) {
    const paths = open.map(({ path }) => path).join(' ');
    return fail(
      name,
      `others may read ${paths}`,
      'whoever reads the key can pass for this device',
      `chmod 600 ${paths}`,
    );
  }
  const foreign = found.filter(({ uid }) => uid !== folder.uid);
  if (foreign.length > 0) {
    const paths = foreign.map(({ path }) => path).join(' ');
    return warn(
      name,
      `${paths} is not of the folder's owner`,
      'the agent may not be able to read it',
      `chown --reference=${dataDir} ${paths}`,
    );
  }
  return ok(name, found.length === 0 ? 'none yet' : 'for their owner alone');
};

export const openFolders: Check = ({ machine, folders: { dataDir, agentSocket, guardSocket } }) => {
  const name = 'permissions';
  const isBad = (path: string, bits: number): boolean => ((machine.rightsOf(path)?.mode ?? 0) & bits) !== 0;
  const bad = [
    ...[dataDir, `${dataDir}/settings.json`].filter((path) => isBad(path, OTHERS_WRITE)),
    ...[agentSocket, guardSocket].filter((path) => isBad(path, OTHERS)),
  ];
  if (bad.length === 0) return ok(name, 'data folder, settings and sockets are closed to others');
  return fail(
    name,
    `open to everybody: ${bad.join(' ')}`,
    'any user of this machine can move the relays',
    `chmod o= ${bad.join(' ')}`,
  );
};
