import { AS_ROOT } from './as-root';

const UNSAVED = 'settings and states cannot be saved, so commands end as "unproven" or are refused';
const FREE_SPACE = 'free some space, for instance by "journalctl --vacuum-size=50M"';
const CARD_ILL = { means: 'the card may be failing', cure: 'copy the data folder, then check or replace the card' };
const USED = 'at most {percent} % of its life is used';
const REPLACE = 'replace it before it fails';
const SUPPLY = {
  means: 'the board may restart or corrupt its card, most likely when relays close',
  cure: 'use a supply that is made for this board, and a short cable',
};
const SUPPLY_UNKNOWN = { means: 'if it is weak, nothing here shows it', cure: SUPPLY.cure };
const STAYS_HUNG = 'a machine that hangs stays so until somebody comes';

/** `path`: where it is mounted; null: not known. */
type Space = { freeMib: number; path: string | null };

export const OF_MACHINES = {
  'disk-read-only': {
    found: '{path} is mounted read-only',
    means: UNSAVED,
    cure: 'look at the kernel log, and replace the card if it failed',
  },
  'disk-full': (space: Space) => ({ found: free(space), means: UNSAVED, cure: FREE_SPACE }),
  'disk-nearly-full': (space: Space) => ({ found: free(space), means: 'it may soon be full', cure: FREE_SPACE }),
  'disk-well': (space: Space) => ({ found: free(space) }),
  'ext4-errors': { found: 'ext4 has counted errors on {disks}', ...CARD_ILL },
  'kernel-log-not-seen': {
    found: 'ext4 has counted no errors; the kernel log is not seen from here',
    cure: AS_ROOT,
  },
  'no-file-system-errors': { found: 'neither ext4 nor the kernel log knows of errors' },
  'kernel-log-errors': {
    found: 'the kernel log has {count} lines such as: {last}',
    ...CARD_ILL,
  },
  'card-silent': { found: 'it does not tell its age' },
  'card-used-up': {
    found: `${USED}; its reserve is used up`,
    means: 'it may fail any day',
    cure: REPLACE,
  },
  'card-old': {
    found: USED,
    means: 'it will fail in the foreseeable future',
    cure: REPLACE,
  },
  'card-well': { found: USED },
  'supply-not-watched': { found: 'not a Raspberry Pi: its supply is not watched' },
  'under-voltage': { found: 'under-voltage now', ...SUPPLY },
  'under-voltage-before': { found: 'under-voltage since the last boot', ...SUPPLY },
  'supply-silent': {
    found: 'not seen from here: the firmware does not tell this user',
    cure: `${AS_ROOT}, or look for a lightning bolt on the screen`,
  },
  'supply-not-reported': {
    found: 'not known: this kernel does not tell what the firmware measures',
    cure: 'look for a lightning bolt on the screen',
  },
  'supply-not-measured': { found: 'not known: this model does not measure its supply', ...SUPPLY_UNKNOWN },
  'supply-well': { found: 'no under-voltage since the last boot' },
  'supply-well-now': { found: 'no under-voltage now' },
  'watchdog-fed': { found: 'systemd feeds it every {period}' },
  'watchdog-not-fed': {
    found: 'there is one, and systemd does not feed it',
    means: STAYS_HUNG,
    cure: 'RuntimeWatchdogSec=15s in /etc/systemd/system.conf',
  },
  'watchdog-not-seen': {
    found: 'there is one; whether systemd feeds it is not seen from here',
    cure: AS_ROOT,
  },
  'no-watchdog': { found: 'none', means: STAYS_HUNG, cure: 'dtparam=watchdog=on in config.txt' },
  'no-watchdog-known': { found: 'none; not a Raspberry Pi' },
} as const;

function free({ freeMib, path }: Space): string {
  return `${freeMib} MiB free${path === null ? '' : ` on ${path}`}`;
}
