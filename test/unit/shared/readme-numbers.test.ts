import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  ANSWER_TAKEN_MS,
  BACKOFF_BASE_MS,
  BACKOFF_CAP_MS,
  CREDENTIAL_TEXT_MAX_CHARS,
  DEAD_LINK_MS,
  DRIVE_TIMEOUT_MS,
  EXECUTION_DEADLINE_MS,
  FAILED_ATTEMPTS_PER_MINUTE,
  HANDSHAKE_MS,
  HEARTBEAT_MS,
  HISTORY_BURST_BYTES,
  HISTORY_BYTES_PER_SECOND,
  KEEP_ALIVE_MS,
  KEPT_OUTCOMES,
  LINK_FRAME_BURST,
  LINK_FRAMES_PER_SECOND,
  LINK_MAX_FRAME_BYTES,
  LINK_MAX_QUEUED_BYTES,
  LINKS_AT_ONCE,
  LINKS_PER_MINUTE,
  LOGIN_TEXT_MAX_CHARS,
  MAX_BODY_BYTES,
  MAX_BUDGETS,
  MAX_CHANGE_LISTENERS,
  MAX_CONNECTIONS,
  MAX_FAILURE_KEYS,
  MAX_FAMILIES_PER_CLIENT,
  MAX_FAULT_KINDS_PER_EVENT,
  MAX_FAULTS_LOGGED_PER_MINUTE,
  MAX_OUTCOMES_TO_RETRY,
  MAX_PIPELINED_REQUESTS,
  MAX_REFUSALS_LOGGED_PER_MINUTE,
  MAX_REPLAYS_LOGGED_PER_MINUTE,
  MAX_REQUEST_HEADERS,
  MAX_ROWS_PER_SWEEP_WRITE,
  MAX_UNAUTHENTICATED_LINKS,
  MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS,
  MAX_UNAUTHENTICATED_PER_ADDRESS,
  MAX_UNRESOLVED_PER_WELCOME,
  PROOF_MS,
  REFUSALS_LOGGED_PER_SOURCE,
  RELEASE_MS,
  REPLACED_WAIT_CAP_MS,
  REPLACED_WAIT_MS,
  REQUEST_HEADERS_MS,
  RESPONSE_DEADLINE_MS,
  SAVE_PATIENCE_MS,
  ServerSettings,
  STORAGE_WRITE_TIMEOUT_MS,
  TIME_SAMPLE_LIFE_MS,
  TLS_HANDSHAKE_MS,
  UPLOAD_GRACE_MS,
  WHOLE_REQUEST_MS,
  WRITE_LIMITS,
} from '@relaygate/shared';
import { ROOT } from '../../support/processes/program';

/** White space as in one line, so that a sentence may be wrapped anywhere. */
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8').replace(/\s+/g, ' ');
const s = (ms: number): string => `${(ms / 1000).toLocaleString('en')} s`;
const number = (ms: number): string => (ms / 1000).toLocaleString('en');
const count = (most: number): string => most.toLocaleString('en');
const kib = (bytes: number): string => `${bytes / 1024} KiB`;

const { productCommandsPerMinute, clientCommandsPerMinute } = ServerSettings.properties;
const PRODUCT_COMMANDS = Number(productCommandsPerMinute.default);
const CLIENT_COMMANDS = Number(clientCommandsPerMinute.default);
const aMinute = (most: number): string => `${count(most)}, ${most / 60} a second`;

/** Sentences that hold numbers of shared/src/limits.ts: where a limit changes, so must they. */
test.each([
  ['shared/README.md', `time (every ${s(HEARTBEAT_MS)})`],
  ['shared/README.md', `a device sends one at least every ${s(HEARTBEAT_MS)} while the link is up`],
  ['shared/README.md', `A side that has received none for ${s(DEAD_LINK_MS)} cuts the connection`],
  ['shared/README.md', `No sample of this link within the last ${s(TIME_SAMPLE_LIFE_MS)}`],
  ['shared/README.md', `after ${s(RESPONSE_DEADLINE_MS)} the server`],
  ['shared/README.md', `\`unknown\` after ${s(RESPONSE_DEADLINE_MS)}.`],
  ['shared/README.md', `still within its ${s(RESPONSE_DEADLINE_MS)} is answered`],
  ['shared/README.md', `It keeps at least the last ${KEPT_OUTCOMES} outcomes of its boot.`],
  ['shared/DECISIONS.md', `all ${KEPT_OUTCOMES} kept outcomes`],
  ['shared/README.md', `next try after ${number(BACKOFF_CAP_MS / 2)} to ${s(BACKOFF_CAP_MS)}`],
  ['shared/README.md', `between half of min(${s(BACKOFF_CAP_MS)}, ${s(BACKOFF_BASE_MS)} x 2^n)`],
  ['shared/README.md', `for n = 0 between 0 and ${s(BACKOFF_BASE_MS)},`],
  ['shared/README.md', `a random time between ${number(BACKOFF_CAP_MS / 2)} and ${s(BACKOFF_CAP_MS)}.`],
  ['shared/README.md', `min(${s(REPLACED_WAIT_CAP_MS)}, ${s(REPLACED_WAIT_MS)} x 2^(k-1))`],
  ['shared/README.md', `waits at least ${s(REPLACED_WAIT_MS)}, growing`],
  ['shared/README.md', `does not open within ${s(HANDSHAKE_MS)}`],
  ['server/README.md', `commands wait for them up to ${s(EXECUTION_DEADLINE_MS)}.`],
  ['server/LIMITS.md', `| hello and proof, the rest of the handshake | ${s(PROOF_MS)}, ${s(HANDSHAKE_MS)} |`],
  ['server/LIMITS.md', `| body of a request | ${kib(MAX_BODY_BYTES)} |`],
  ['server/LIMITS.md', `| failed logins, refreshes and claims | ${FAILED_ATTEMPTS_PER_MINUTE} a minute per address`],
  ['server/LIMITS.md', `| listeners for changes | ${count(MAX_CHANGE_LISTENERS)}, each`],
  ['server/LIMITS.md', `| remembered failures | ${count(MAX_FAILURE_KEYS)} keys |`],
  [
    'server/LIMITS.md',
    `| refused requests in the log, and refused links | ${REFUSALS_LOGGED_PER_SOURCE} lines a minute of one code and address, ${MAX_REFUSALS_LOGGED_PER_MINUTE} of one code |`,
  ],
  ['server/LIMITS.md', `fail while the database does | ${MAX_FAULTS_LOGGED_PER_MINUTE} lines a minute |`],
  ['server/LIMITS.md', `counted apart in the log | ${MAX_FAULT_KINDS_PER_EVENT} a minute |`],
  ['server/LIMITS.md', `| repeated refresh tokens in the log | ${MAX_REPLAYS_LOGGED_PER_MINUTE} lines a minute |`],
  [
    'server/LIMITS.md',
    `| client | ${count(WRITE_LIMITS.associations.burst)}, ${WRITE_LIMITS.associations.perSecond} a second | 429`,
  ],
  [
    'server/LIMITS.md',
    `| client | ${count(WRITE_LIMITS.logins.burst)}, ${WRITE_LIMITS.logins.perSecond} a second | 429`,
  ],
  ['server/LIMITS.md', `| commands to one product: record and outcome | client | ${aMinute(PRODUCT_COMMANDS)} | 429`],
  ['server/LIMITS.md', `| commands to all products | client | ${aMinute(CLIENT_COMMANDS)} |`],
  ['server/STORAGE.md', `every hour, at most ${MAX_ROWS_PER_SWEEP_WRITE} a write,`],
  ['server/LIMITS.md', `| product | ${LINKS_AT_ONCE}, ${LINKS_PER_MINUTE} a minute | the link is closed with 4429`],
  [
    'server/LIMITS.md',
    `| product | ${WRITE_LIMITS.reports.burst}, ${WRITE_LIMITS.reports.perSecond} a second | the newest`,
  ],
  ['server/LIMITS.md', `remembered for ${count(MAX_BUDGETS)} clients or products.`],
  [
    'server/LIMITS.md',
    `| ${HISTORY_BURST_BYTES / 1024 / 1024} MiB, ${HISTORY_BYTES_PER_SECOND} bytes a second | the device's answer waits`,
  ],
  ['server/LIMITS.md', `| refresh families of a client | ${count(MAX_FAMILIES_PER_CLIENT)} |`],
  [
    'server/LIMITS.md',
    `${count(MAX_UNAUTHENTICATED_LINKS)}, and ${MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS} per address |`,
  ],
  ['server/LIMITS.md', `| connections, links included | ${count(MAX_CONNECTIONS)} |`],
  ['server/LIMITS.md', `its running requests | ${MAX_UNAUTHENTICATED_PER_ADDRESS} |`],
  ['server/LIMITS.md', `| requests of one connection that wait for their answers | ${count(MAX_PIPELINED_REQUESTS)} |`],
  ['server/LIMITS.md', `| headers of a request | ${count(MAX_REQUEST_HEADERS)}, and 16 KiB (Node) |`],
  [
    'server/LIMITS.md',
    `the whole request | ${s(TLS_HANDSHAKE_MS)}, ${s(REQUEST_HEADERS_MS)}, ${s(WHOLE_REQUEST_MS)} | connection closed, ${s(RELEASE_MS)} later`,
  ],
  ['server/LIMITS.md', `an answer that its client does not read | ${s(ANSWER_TAKEN_MS)} |`],
  ['server/LIMITS.md', `| idle keep-alive connection | ${s(KEEP_ALIVE_MS)} |`],
  ['server/LIMITS.md', `not whole when the server stops | ${UPLOAD_GRACE_MS} ms |`],
  ['server/LIMITS.md', `| a frame of a device | ${kib(LINK_MAX_FRAME_BYTES)},`],
  ['server/LIMITS.md', `| ${LINK_FRAME_BURST} at once, ${LINK_FRAMES_PER_SECOND} a second,`],
  ['server/LIMITS.md', `a device that does not read | ${kib(LINK_MAX_QUEUED_BYTES)} |`],
  ['server/LIMITS.md', `| outcomes waiting for the database | ${count(MAX_OUTCOMES_TO_RETRY)} |`],
  ['server/LIMITS.md', `asked for at a link | ${MAX_UNRESOLVED_PER_WELCOME} |`],
  ['server/LIMITS.md', `| silence of a device | ${s(DEAD_LINK_MS)} |`],
  ['server/LIMITS.md', `| writes waiting for the database | 20,000, ${s(STORAGE_WRITE_TIMEOUT_MS)} each`],
  ['server/DECISIONS.md', `logins ${LOGIN_TEXT_MAX_CHARS} characters, credentials ${CREDENTIAL_TEXT_MAX_CHARS};`],
  ['device-agent/DECISIONS.md', `cannot be saved within ${s(SAVE_PATIENCE_MS)}, it moves`],
  ['device-agent/DECISIONS.md', `does not return fails after ${s(DRIVE_TIMEOUT_MS)},`],
  ['device-agent/FILES.md', `the last ${KEPT_OUTCOMES} commands of this boot`],
  ['device-agent/DECISIONS.md', `By count alone, ${KEPT_OUTCOMES} local commands within ${s(EXECUTION_DEADLINE_MS)}`],
])('%s says what shared/src/limits.ts says: %s', (file, sentence) => {
  expect(textOf(file)).toContain(sentence);
});
