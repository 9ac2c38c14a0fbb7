import { CLOSE } from '@relaygate/shared';

interface CloseRule {
  when: string;
  device: string;
}

/** A new code does not compile until it stands here. */
const RULES: Record<keyof typeof CLOSE, CloseRule> = {
  goingAway: { when: 'sent by proxies; this server never sends it', device: 'ordinary back-off' },
  unsupportedData: { when: 'a binary frame came', device: 'a fault of the device; ordinary back-off' },
  serverRestarting: { when: 'the server stops or restarts', device: 'ordinary back-off' },
  protocolError: {
    when: 'a frame that is no JSON, has no `type` or breaks its schema; a message before its turn; too many frames',
    device: 'a fault of the device, to be shown; ordinary back-off',
  },
  refused: {
    when: 'unknown product, wrong key, wrong code or wrong signature: which one is not said',
    device: 'shows it; next try after 30 to 60 s',
  },
  timeout: { when: '`proof` or `resume` did not come in time', device: 'ordinary back-off' },
  replaced: {
    when: 'a newer link of the same product has taken over (I12)',
    device: 'shows that another device may hold its key; waits at least 60 s, growing',
  },
  revoked: {
    when: 'the operator revoked the device (I13)',
    device: 'shows that it needs a new enrolment code; next try after 30 to 60 s',
  },
  tooOften: {
    when: "the product's device began more links than `LINKS_AT_ONCE` and `LINKS_PER_MINUTE` allow",
    device: 'shows it; next try after 30 to 60 s',
  },
  tryLater: {
    when: 'the server cannot take the link now: its database does not answer, a link that began later is there, or too many wait that have not proven themselves',
    device: 'ordinary back-off',
  },
};

/** Codes below 4000 that the WebSocket layer itself sends. */
const OF_THE_LAYER_BELOW: readonly [string, CloseRule][] = [
  [
    '1002, 1007',
    { when: 'broken WebSocket framing; text that is not UTF-8', device: 'a fault of the device; ordinary back-off' },
  ],
  ['1008', { when: 'a message in more than 16 fragments', device: 'a fault of the device; ordinary back-off' }],
  ['1009', { when: 'a message that is too long', device: 'a fault of the device; ordinary back-off' }],
  ['none', { when: 'the connection broke or was cut', device: 'ordinary back-off' }],
];

/** Every close code, when the server sends it and what a device does then, in Markdown. */
export function closeTable(): string {
  const ours = (Object.keys(RULES) as (keyof typeof CLOSE)[]).map((name): [string, CloseRule] => [
    `${CLOSE[name]} ${name}`,
    RULES[name],
  ]);
  return [
    '| code | the server sends it when | the device then |',
    '|---|---|---|',
    ...[...OF_THE_LAYER_BELOW, ...ours].map(([code, { when, device }]) => `| ${code} | ${when} | ${device} |`),
  ].join('\n');
}
