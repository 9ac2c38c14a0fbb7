import { dataPathsIn } from '@relaygate/device-agent/files/data-paths';
import type { RemovableFiles } from '@relaygate/device-agent/files/files';
import type { StageFile } from '@relaygate/device-agent/files/staged-file';
import type { BootPartition } from '@relaygate/device-agent/provisioning/boot-partition';
import { SiteTakeOver } from '@relaygate/device-agent/provisioning/site-take-over';
import { parseBoardProfile } from '@relaygate/shared/device';
import { enrolmentCode } from '../server/codes';
import type { MemoryFiles } from './memory-files';
import { quietLog } from './quiet-log';

export const BOOT = '/boot';
export const DATA = '/data';

/** A file of a site with every kind of secret in it. */
export const SITE = {
  serverUrl: 'wss://gate.example.com',
  productLogin: 'gate-1',
  board: { profile: 'two-relays' },
  outputs: [{ name: 'Gate', pulseMs: 700 }],
  caCertificate: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  wifi: { ssid: 'Chez nous', passphrase: 'tres secret', country: 'FR' },
  enrolmentCode: enrolmentCode(),
  pin: `${'i'.repeat(8)}.${'s'.repeat(22)}.${'h'.repeat(43)}`,
};
/** None of them may be left where others can read it. */
export const SECRETS: readonly string[] = ['tres secret', enrolmentCode(), 'h'.repeat(43)];

const gpio = (name: string, bcms: number[]) => ({
  name,
  title: name,
  source: 'a test',
  verified: true,
  notes: [],
  kind: 'gpio',
  activeLevel: 'high',
  relays: bcms.map((bcm) => ({ label: `IN${bcm}`, bcm })),
});
const PROFILES = [
  gpio('two-relays', [17, 27]),
  gpio('risky', [4, 17]),
  { ...gpio('on-usb', []), kind: 'lcus', activeLevel: undefined, usb: '1a86:7523', relays: [{ label: 'CH1' }] },
].map((profile) => {
  const parsed = parseBoardProfile(JSON.parse(JSON.stringify(profile)));
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
});

/** The boot partition as files under BOOT. */
export function bootIn(files: RemovableFiles): BootPartition {
  return {
    read: (name) => files.read(`${BOOT}/${name}`),
    replace: (name, text) => files.replace(`${BOOT}/${name}`, text),
    overwrite: (name, text) => files.replace(`${BOOT}/${name}`, text),
  };
}

/** A staged file is one of another name. */
function stageIn(files: RemovableFiles): StageFile {
  return async (path, text, options) => {
    const temporary = `${path}.new`;
    await files.replace(temporary, text, options);
    return {
      discard: () => files.remove(temporary),
      async commit() {
        await files.replace(path, text, options);
        await files.remove(temporary);
      },
    };
  };
}

/** Takes a site over. Gives the settings that the device has then. */
export async function settingsOf(files: MemoryFiles, site: object): Promise<Record<string, unknown>> {
  files.texts.set(`${BOOT}/relaygate-site.json`, JSON.stringify(site));
  await takeOverOf(files).takeOver();
  return JSON.parse(files.texts.get(`${DATA}/settings.json`) ?? '{}');
}

export function takeOverOf(files: RemovableFiles): SiteTakeOver {
  return new SiteTakeOver({
    boot: bootIn(files),
    files,
    stage: stageIn(files),
    systemFiles: files,
    stageSystem: stageIn(files),
    log: quietLog(),
    paths: dataPathsIn(DATA),
    profiles: () => PROFILES,
    certificateProblem: (pem) => (pem.includes('BAD') ? 'is no certificate' : null),
  });
}
