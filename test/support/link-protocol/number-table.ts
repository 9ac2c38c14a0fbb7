import {
  BACKOFF_BASE_MS,
  BACKOFF_CAP_MS,
  CLOCK_DRIFT,
  DEAD_LINK_MS,
  EXECUTION_DEADLINE_MS,
  HANDSHAKE_MS,
  HEARTBEAT_MS,
  HISTORY_BURST_BYTES,
  HISTORY_BYTES_PER_SECOND,
  KEPT_OUTCOMES,
  LINK_FRAME_BURST,
  LINK_FRAMES_PER_SECOND,
  LINK_MAX_FRAME_BYTES,
  LINK_MAX_QUEUED_BYTES,
  LINKS_AT_ONCE,
  LINKS_PER_MINUTE,
  MAX_UNRESOLVED_PER_WELCOME,
  PROOF_MS,
  RECENTLY_LINKED_MS,
  REPLACED_WAIT_CAP_MS,
  REPLACED_WAIT_MS,
  REPORTS_AT_ONCE,
  REPORTS_PER_SECOND,
  RESPONSE_DEADLINE_MS,
  TIME_SAMPLE_LIFE_MS,
  TIME_SAMPLES_BEFORE_RESUME,
} from '@relaygate/shared/limits';

/** The numbers that a device needs, in the order of a link's life. */
const NUMBERS: readonly [Record<string, number>, string][] = [
  [{ PROOF_MS }, 'the server: from the opened WebSocket to `proof`; else 4408'],
  [
    { HANDSHAKE_MS },
    'the server: from `proof` to `resume`, else 4408; a device: from the opened WebSocket to its `resume`',
  ],
  [{ TIME_SAMPLES_BEFORE_RESUME }, 'time exchanges before `resume`'],
  [{ HEARTBEAT_MS }, 'the device sends a `time` at least this often while the link is up'],
  [{ DEAD_LINK_MS }, 'text frames missing for this long: either side cuts the connection, without a close frame'],
  [
    { EXECUTION_DEADLINE_MS },
    "from the command's acceptance to the end of the time in which it may start (`executeBeforeMs`)",
  ],
  [{ RESPONSE_DEADLINE_MS }, 'from its acceptance to the answer that the application gets in any case'],
  [{ RECENTLY_LINKED_MS }, 'for this long after a lost link a command waits for the device to come back'],
  [{ TIME_SAMPLE_LIFE_MS }, 'a time sample older than this is not used'],
  [{ CLOCK_DRIFT }, 'by how much two clocks may drift apart, as a share of the time gone by (200 ppm)'],
  [{ LINK_MAX_FRAME_BYTES }, 'one message in either direction, as UTF-8; beyond: 1009'],
  [{ LINK_FRAME_BURST }, 'frames that a device may send at once; beyond: 4400'],
  [
    { LINK_FRAMES_PER_SECOND },
    'and how many each second give that allowance back; each command sent gives back 2 more',
  ],
  [{ LINK_MAX_QUEUED_BYTES }, 'bytes that a device leaves unread; beyond, it is cut off'],
  [{ MAX_UNRESOLVED_PER_WELCOME }, 'command ids in one `welcome`'],
  [{ LINKS_AT_ONCE }, 'links that a product may begin at once; beyond: 4429'],
  [{ LINKS_PER_MINUTE }, 'and how many each minute give that allowance back'],
  [{ REPORTS_AT_ONCE }, 'reports that the server saves at once; of those beyond, the newest as soon as it may'],
  [{ REPORTS_PER_SECOND }, 'and how many each second give that allowance back'],
  [
    { HISTORY_BURST_BYTES },
    'what the server keeps of a history at once: an ordinary entry has 600 bytes, its longest 14,000; beyond, the answer waits',
  ],
  [{ HISTORY_BYTES_PER_SECOND }, 'and how much of it each second gives back'],
  [{ KEPT_OUTCOMES }, 'outcomes that a device keeps, at least'],
  [{ BACKOFF_BASE_MS }, 'the base of the back-off'],
  [{ BACKOFF_CAP_MS }, 'its cap'],
  [{ REPLACED_WAIT_MS }, 'the first wait after 4409'],
  [{ REPLACED_WAIT_CAP_MS }, 'the longest wait after 4409'],
];

/** The numbers of the link as they stand in shared/src/limits.ts, in Markdown. */
export function numberTable(): string {
  const rows = NUMBERS.flatMap(([number, meaning]) =>
    Object.entries(number).map(([name, value]) => `| \`${name}\` | ${inUnits(name, value)} | ${meaning} |`),
  );
  return ['| number | value | bounds |', '|---|---|---|', ...rows].join('\n');
}

function inUnits(name: string, value: number): string {
  if (value < 1) return String(value);
  const unit = name.endsWith('_MS') ? ' ms' : name.includes('_BYTES') ? ' bytes' : '';
  return `${value.toLocaleString('en-US')}${unit}`;
}
