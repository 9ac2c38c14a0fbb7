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
  KEEP_ALIVE_MS,
  KEPT_OUTCOMES,
  LINK_FRAME_BURST,
  LINK_FRAMES_PER_SECOND,
  LINK_MAX_FRAME_BYTES,
  LINK_MAX_QUEUED_BYTES,
  LOGIN_TEXT_MAX_CHARS,
  MAX_BODY_BYTES,
  MAX_CONNECTIONS,
  MAX_FAILURE_KEYS,
  MAX_FAMILIES_PER_CLIENT,
  MAX_OUTCOMES_TO_RETRY,
  MAX_REFUSALS_LOGGED_PER_MINUTE,
  MAX_REPLAYS_LOGGED_PER_MINUTE,
  MAX_REQUEST_HEADERS,
  MAX_STRANGERS_PER_ADDRESS,
  MAX_UNPROVEN_LINKS,
  MAX_UNPROVEN_LINKS_PER_ADDRESS,
  MAX_UNRESOLVED_PER_WELCOME,
  PROOF_MS,
  REFUSALS_LOGGED_PER_SOURCE,
  RELEASE_MS,
  REPLACED_WAIT_CAP_MS,
  REPLACED_WAIT_MS,
  REQUEST_HEADERS_MS,
  RESPONSE_DEADLINE_MS,
  SAVE_PATIENCE_MS,
  STORAGE_WRITE_TIMEOUT_MS,
  TIME_SAMPLE_LIFE_MS,
  TLS_HANDSHAKE_MS,
  UPLOAD_GRACE_MS,
  WHOLE_REQUEST_MS,
} from '@relaygate/shared';
import { ROOT } from '../../support/processes';

/** White space as in one line, so that a sentence may be wrapped anywhere. */
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8').replace(/\s+/g, ' ');
const s = (ms: number): string => `${(ms / 1000).toLocaleString('en')} s`;
const number = (ms: number): string => (ms / 1000).toLocaleString('en');
const count = (most: number): string => most.toLocaleString('en');
const kib = (bytes: number): string => `${bytes / 1024} KiB`;

/** Sentences that hold numbers of shared/src/limits.ts: where a limit changes, so must they. */
test.each([
  ['shared/README.md', `time (every ${s(HEARTBEAT_MS)})`],
  ['shared/README.md', `a device sends one at least every ${s(HEARTBEAT_MS)} while the link is up`],
  ['shared/README.md', `Whoever has heard none for ${s(DEAD_LINK_MS)} cuts the connection`],
  ['shared/README.md', `No sample of this link within the last ${s(TIME_SAMPLE_LIFE_MS)}`],
  ['shared/README.md', `after ${s(RESPONSE_DEADLINE_MS)} the server`],
  ['shared/README.md', `\`unknown\` after ${s(RESPONSE_DEADLINE_MS)}.`],
  ['shared/README.md', `still within its ${s(RESPONSE_DEADLINE_MS)} is answered`],
  ['shared/README.md', `It keeps at least the last ${KEPT_OUTCOMES} outcomes of its boot.`],
  ['shared/README.md', `all ${KEPT_OUTCOMES} kept outcomes`],
  ['shared/README.md', `next try after ${number(BACKOFF_CAP_MS / 2)} to ${s(BACKOFF_CAP_MS)}`],
  ['shared/README.md', `between 0 and min(${s(BACKOFF_CAP_MS)}, ${s(BACKOFF_BASE_MS)} x 2^n)`],
  ['shared/README.md', `a random time between ${number(BACKOFF_CAP_MS / 2)} and ${s(BACKOFF_CAP_MS)}.`],
  ['shared/README.md', `min(${s(REPLACED_WAIT_CAP_MS)}, ${s(REPLACED_WAIT_MS)} x 2^(k-1))`],
  ['shared/README.md', `waits at least ${s(REPLACED_WAIT_MS)}, growing`],
  ['shared/README.md', `does not open within ${s(HANDSHAKE_MS)}`],
  ['server/README.md', `commands wait for them up to ${s(EXECUTION_DEADLINE_MS)}.`],
  ['server/README.md', `| hello and proof, the rest of the handshake | ${s(PROOF_MS)}, ${s(HANDSHAKE_MS)} |`],
  ['server/README.md', `| body of a request | ${kib(MAX_BODY_BYTES)} |`],
  ['server/README.md', `| failed logins, refreshes and claims | ${FAILED_ATTEMPTS_PER_MINUTE} a minute per address`],
  ['server/README.md', `| remembered failures | ${count(MAX_FAILURE_KEYS)} keys |`],
  [
    'server/README.md',
    `| refused requests in the log | ${REFUSALS_LOGGED_PER_SOURCE} lines a minute of one code and address, ${MAX_REFUSALS_LOGGED_PER_MINUTE} of one code |`,
  ],
  [
    'server/README.md',
    `| refresh tokens that come again, in the log | ${MAX_REPLAYS_LOGGED_PER_MINUTE} lines a minute |`,
  ],
  ['server/README.md', `| refresh families of a client | ${count(MAX_FAMILIES_PER_CLIENT)} |`],
  ['server/README.md', `${count(MAX_UNPROVEN_LINKS)}, and ${MAX_UNPROVEN_LINKS_PER_ADDRESS} per address |`],
  ['server/README.md', `| connections, links included | ${count(MAX_CONNECTIONS)} |`],
  ['server/README.md', `its requests under way | ${MAX_STRANGERS_PER_ADDRESS} |`],
  ['server/README.md', `| headers of a request | ${count(MAX_REQUEST_HEADERS)}, and 16 KiB (Node) |`],
  [
    'server/README.md',
    `the whole request | ${s(TLS_HANDSHAKE_MS)}, ${s(REQUEST_HEADERS_MS)}, ${s(WHOLE_REQUEST_MS)} | connection closed, ${s(RELEASE_MS)} later`,
  ],
  ['server/README.md', `an answer that its client does not read | ${s(ANSWER_TAKEN_MS)} |`],
  ['server/README.md', `| idle keep-alive connection | ${s(KEEP_ALIVE_MS)} |`],
  ['server/README.md', `not whole when the server stops | ${UPLOAD_GRACE_MS} ms |`],
  ['server/README.md', `| a frame of a device | ${kib(LINK_MAX_FRAME_BYTES)},`],
  ['server/README.md', `| ${LINK_FRAME_BURST} at once, ${LINK_FRAMES_PER_SECOND} a second,`],
  ['server/README.md', `a device that does not read | ${kib(LINK_MAX_QUEUED_BYTES)} |`],
  ['server/README.md', `| outcomes waiting for the database | ${count(MAX_OUTCOMES_TO_RETRY)} |`],
  ['server/README.md', `asked for at a link | ${MAX_UNRESOLVED_PER_WELCOME} |`],
  ['server/README.md', `| silence of a device | ${s(DEAD_LINK_MS)} |`],
  ['server/README.md', `| writes waiting for the database | 20,000, ${s(STORAGE_WRITE_TIMEOUT_MS)} each`],
  ['server/README.md', `logins ${LOGIN_TEXT_MAX_CHARS} characters, credentials ${CREDENTIAL_TEXT_MAX_CHARS};`],
  ['device-agent/README.md', `cannot be saved within ${s(SAVE_PATIENCE_MS)};`],
  ['device-agent/README.md', `does not come back fails after ${s(DRIVE_TIMEOUT_MS)},`],
  ['device-agent/README.md', `the last ${KEPT_OUTCOMES} commands of this boot`],
  ['device-agent/README.md', `By count alone, ${KEPT_OUTCOMES} local commands within ${s(EXECUTION_DEADLINE_MS)}`],
])('%s says what shared/src/limits.ts says: %s', (file, sentence) => {
  expect(textOf(file)).toContain(sentence);
});
