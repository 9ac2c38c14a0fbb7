/**
 * Who may import whom (design, "Layout and layers"). `npm run check:layers` reads the TypeScript sources, so that
 * imports of types count as well. test/unit/tooling/layers.test.ts shows for each rule that it catches its violation.
 */
const DOMAIN =
  '^server/src/((commands|devices|products|clients|tokens|audit|changes|limits|lists|upkeep|nodes)/|log/(?!pino-log)|(activity-counter|database-retry|foreign-error)\\.ts$)';
const ADAPTER = '^server/src/(http|gateway|storage|router|copies|files|cli)/';
/** What wires the domain. */
const CORE = '^server/src/(core|actions)\\.ts$';
/** An import by package name resolves to what tsc made of the sources. */
const SHARED_SYSTEM = '^shared/(src|dist)/system/';
/** Where the device's pure code ends: relayctl and the doctor run for one command, compose.ts and main.ts wire. */
const DEVICE_EDGE =
  '^device-agent/src/(platform/|relayctl/|doctor/|(agent|guard|provisioning|helper)/(compose|main)\\.ts$)';
/** What stands between a driver and the machine. */
const BOARD_ADAPTER = '^device-agent/src/relay/(board-files|kernel-gpio|onoff-gpio)\\.ts$';
/** What agent and page say to each other. */
const PAGE_MESSAGES = [
  '^device-agent/src/agent/technician/(local-messages/|web/page-session\\.ts$)',
  '^(@relaygate/)?shared(/|$)',
  '(^|/)node_modules/@relaygate/shared/',
];
/** Of the agent, what is no message. */
const AGENT_INSIDE = 'agent/(?!technician/local-messages/|link/link-problem\\.)';
/** What an adapter of the agent's link implements, and how it says that it failed. */
const LINK_PORTS = '^device-agent/src/agent/link/(identity|link-problem|link-socket)\\.ts$';
/** Ports of page and doctor, whose shapes platform/ takes. */
const PORT_TYPES = '^device-agent/src/(agent/technician/web/web-exchange|doctor/check-context)\\.ts$';
/** What only one program of a device has. */
const DEVICE_PROGRAM = '^device-agent/src/((agent|guard|relay|relayctl|doctor|helper)/|provisioning/[^/]+$)';
/** What the page says, and with it the console. */
const PAGE_WORDS = '^device-agent/src/locales/((en|fr)/)?(page|common)\\.ts$';
/** How the proof of the wiring goes on, which page, console and relayctl share. */
const PROOF = '^device-agent/src/proof/';
/** What the page has in its bundle beside its words. */
const PAGE_PURE = [`${PROOF}proof-(round|time)\\.ts$`, '^device-agent/src/runtime/duration\\.ts$'];
/** What a device says, in each of its languages. */
const LOCALES = '^device-agent/src/locales/';
const NPM = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-bundled', 'npm-no-pkg', 'npm-unknown'];

const forbidden = [
  // Packages
  rule('server-and-device-apart', 'they share the messages, nothing else', {
    from: { path: '^(server|device-agent)/' },
    to: { path: '^(@relaygate/)?(server|device-agent|hardware)(/|$)', pathNot: '^$1/' },
  }),
  rule('shared-stands-alone', 'both sides depend on shared, never the other way', {
    from: { path: '^shared/' },
    to: { path: '^(@relaygate/)?(server|device-agent|hardware)(/|$)' },
  }),
  rule('client-stands-alone', 'applications install it, also in browsers: it takes nothing along', {
    from: { path: '^server/client/' },
    to: { path: '.', pathNot: '^server/client/' },
  }),
  rule('client-is-for-applications', 'of our own programs none calls the HTTP API', {
    from: { path: '^(shared|server/src|device-agent|hardware)/' },
    to: { path: '^(@relaygate/client|server/client)(/|$)' },
  }),
  rule('shared-is-pure', 'only shared/src/system touches the machine', {
    from: { path: '^shared/src/', pathNot: '^shared/src/system/' },
    to: { dependencyTypes: ['core'] },
  }),
  rule('shared-takes-ports', 'clock and randomness are passed in, so that a fault schedule can be replayed', {
    from: { path: '^shared/src/', pathNot: '^shared/src/system/' },
    to: { path: SHARED_SYSTEM },
  }),
  rule('programs-know-no-tests', 'tests depend on programs, never the other way', {
    from: { path: '^(shared|server|device-agent|hardware)/' },
    to: { path: '^test/' },
  }),
  rule('demo-runs-what-users-run', 'demo and cluster start the built programs and import none', {
    from: { path: '^test/(demo|cluster)/' },
    to: { path: '^(@relaygate/)?(shared|server|device-agent|hardware)(/|$)' },
  }),

  // Server
  rule('domain-knows-no-adapter', 'ports stand beside the domain, adapters implement them', {
    from: { path: DOMAIN },
    to: { path: [ADAPTER, '^server/src/(main|compose|operator-access|core|actions|settings|log/pino-log)\\.ts$'] },
  }),
  rule(
    'domain-does-no-io',
    'files, sockets and processes are ports; of node: only crypto, whose pure functions Biome lists',
    {
      from: { path: DOMAIN },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
    },
  ),
  rule('domain-uses-no-framework', 'a domain that needs only itself can be run under a virtual clock', {
    from: { path: DOMAIN },
    to: {
      dependencyTypes: NPM,
      pathNot: '(^|/)node_modules/(@types/)?(jsonwebtoken|lru-cache|uuid)/|^(jsonwebtoken|lru-cache|uuid)$',
    },
  }),
  rule('domain-takes-ports', 'clock and randomness are passed in, so that a fault schedule can be replayed', {
    from: { path: DOMAIN },
    to: { path: SHARED_SYSTEM },
  }),
  rule('commands-and-products-apart', 'they meet in the wiring; each declares the little that it needs of the other', {
    from: { path: '^server/src/(commands|products)/' },
    to: { path: '^server/src/(commands|products)/', pathNot: '^server/src/$1/' },
  }),
  rule('devices-below-both', 'a link knows neither what a command is for nor whom its product belongs to', {
    from: { path: '^server/src/devices/' },
    to: { path: '^server/src/(commands|products)/' },
  }),
  rule(
    'adapters-apart',
    'http, gateway, storage, router, files and cli meet in compose.ts and operator-access.ts only',
    {
      from: { path: ADAPTER, pathNot: '^server/src/(storage|copies)/' },
      to: { path: ADAPTER, pathNot: '^server/src/$1/' },
    },
  ),
  rule(
    'storage-above-files',
    'the database is one of the files of the data folder; of other adapters it knows nothing',
    {
      from: { path: '^server/src/storage/' },
      to: { path: ADAPTER, pathNot: '^server/src/(storage|files)/' },
    },
  ),
  rule('copies-above-storage', 'a backup or a copy is made of the database and of its data folder', {
    from: { path: '^server/src/copies/' },
    to: { path: ADAPTER, pathNot: '^server/src/(copies|storage|files)/' },
  }),
  rule('docs-page-stands-alone', 'it runs in a browser: of the server it knows what to ask before a switch', {
    from: { path: '^server/page/' },
    to: { path: '.', pathNot: ['^server/page/', '^server/src/http/docs/switch-question\\.ts$'] },
  }),
  rule('server-imports-no-page', 'it serves what was built', {
    from: { path: '^server/src/' },
    to: { path: '^server/page/' },
  }),
  rule('switch-question-is-pure', 'it comes along into the page', {
    from: { path: '^server/src/http/docs/switch-question\\.ts$' },
    to: { path: '.' },
  }),
  rule('compose-is-the-top', 'compose.ts and operator-access.ts know everybody, so only main.ts may know them', {
    from: { path: '^server/src/', pathNot: '^server/src/main\\.ts$' },
    to: { path: '^server/src/(compose|operator-access|main)\\.ts$' },
  }),
  rule('core-is-below-compose', 'core.ts wires the domain; only compose.ts gives it its adapters', {
    from: { path: '^server/src/', pathNot: '^server/src/compose\\.ts$' },
    to: { path: '^server/src/core\\.ts$' },
  }),
  rule('core-takes-ports', 'the simulation runs the core as it is, with other ports', {
    from: { path: CORE },
    to: { path: SHARED_SYSTEM },
  }),
  rule(
    'core-runs-no-adapter',
    'core.ts and actions.ts wire the domain, compose.ts the adapters: they import only their types',
    {
      from: { path: CORE },
      to: { path: ADAPTER, dependencyTypesNot: ['type-only'] },
    },
  ),
  rule('core-does-no-io', 'the simulation runs the core as it is, with other ports', {
    from: { path: CORE },
    to: { dependencyTypes: ['core'] },
  }),

  // Device
  rule('guard-knows-no-agent', 'a stalled or killed agent must not change a running pulse', {
    from: { path: '^device-agent/src/guard/' },
    to: { path: '^device-agent/src/(agent|relayctl|doctor|provisioning|helper)/' },
  }),
  rule('guard-knows-no-network', 'the process that holds the relays hears a local socket and nothing else', {
    from: { path: '^device-agent/src/(guard|relay)/' },
    to: { path: ['^(node:)?(http|http2|https|tls|dgram|dns)$', '(^|/)node_modules/(@types/)?ws/', '^ws$'] },
  }),
  rule('agent-asks-the-guard', 'the agent knows the protocol of the guard, not its insides', {
    from: { path: '^device-agent/src/agent/' },
    to: { path: '^device-agent/src/(guard/(?!(protocol|client)\\.)|relay/|relayctl/|doctor/)' },
  }),
  rule('drivers-know-their-port-only', 'a driver moves lines and decides nothing', {
    from: { path: '^device-agent/src/relay/' },
    to: { path: '^device-agent/src/(guard|agent|relayctl|doctor)/' },
  }),
  rule('relayctl-asks-the-agent', 'relayctl knows the messages of the local API only', {
    from: { path: '^device-agent/src/relayctl/' },
    to: { path: `^device-agent/src/(guard/|relay/|${AGENT_INSIDE})` },
  }),
  rule('doctor-looks-at-lines', 'the doctor looks at GPIO lines without an agent, and drives no board', {
    from: { path: '^device-agent/src/doctor/' },
    to: {
      path: `^device-agent/src/(guard/|relay/(?!gpio-(chips|input-uapi|kernel|lines|problem|uapi)\\.|kernel-(chips|gpio)\\.|line-holder\\.|off-time\\.)|${AGENT_INSIDE})`,
    },
  }),
  rule('setup-knows-messages-only', 'it runs before guard and agent, and then asks the agent as relayctl does', {
    from: { path: '^device-agent/src/provisioning/' },
    to: {
      path: `^device-agent/src/(guard/|relay/|doctor/|${AGENT_INSIDE}|relayctl/(?!(ask-agent|board-profiles)\\.))`,
    },
  }),

  rule('helper-knows-no-program', 'it does what it is asked, with a right that others do not have', {
    from: { path: '^device-agent/src/helper/' },
    to: {
      path: '^device-agent/src/(agent|guard|relay|relayctl|doctor|provisioning/(?!(status-file|wifi-keyfile)\\.))',
    },
  }),

  rule(
    'device-takes-ports',
    'only compose.ts and main.ts know the adapters in platform/, so the rest runs under a virtual clock',
    {
      from: { path: '^device-agent/src/', pathNot: DEVICE_EDGE },
      to: { path: ['^device-agent/src/platform/', SHARED_SYSTEM] },
    },
  ),
  rule('device-does-no-io', 'files, sockets and processes are ports', {
    from: {
      path: '^device-agent/src/',
      pathNot: [DEVICE_EDGE, BOARD_ADAPTER],
    },
    to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|path|url|util)$' },
  }),
  rule('page-knows-messages-only', 'it runs in a browser: of the agent it knows what is said, and no rule', {
    from: { path: '^device-agent/page/' },
    to: {
      path: '.',
      pathNot: ['^device-agent/page/', '(^|/)node_modules/preact/', PAGE_WORDS, ...PAGE_PURE, ...PAGE_MESSAGES],
    },
  }),
  rule('page-imports-types-only', 'the code of the agent would come along into the bundle', {
    from: { path: '^device-agent/page/' },
    to: { path: PAGE_MESSAGES, dependencyTypesNot: ['type-only'] },
  }),
  rule('page-words-import-types-only', 'what the page says comes into the bundle, and nothing else with it', {
    from: { path: PAGE_WORDS },
    to: { path: '.', pathNot: PAGE_WORDS, dependencyTypesNot: ['type-only'] },
  }),
  rule('proof-is-pure', 'three surfaces lead the same dialogue, and one of them runs in a browser', {
    from: { path: PROOF },
    to: { path: '.', pathNot: PROOF, dependencyTypesNot: ['type-only'] },
  }),
  rule('agent-imports-no-page', 'it serves what was built', {
    from: { path: '^device-agent/src/' },
    to: { path: '^device-agent/page/' },
  }),
  rule('guard-speaks-to-its-log', 'whoever reads it in another language asks the agent', {
    from: { path: '^device-agent/src/(guard|relay|serial)/' },
    to: { path: LOCALES, pathNot: `${LOCALES}(sentence|en/(causes|guard-faults|guard-refusals))\\.ts$` },
  }),
  rule('locales-know-values-only', 'a sentence is made of values; who finds them is known by their types', {
    from: { path: LOCALES },
    to: {
      path: '^device-agent/src/((agent|guard|relay|relayctl|doctor)/|provisioning/[^/]+$)',
      pathNot: LINK_PORTS,
      dependencyTypesNot: ['type-only'],
    },
  }),
  rule('device-ground-is-neutral', 'what the programs of a device share knows none of them', {
    from: { path: '^device-agent/src/(files|ipc|provisioning/(boards|site)|runtime|serial)/' },
    to: { path: DEVICE_PROGRAM },
  }),
  rule('platform-knows-ports', 'an adapter knows the port that it implements, and nothing else of who asks', {
    from: { path: '^device-agent/src/platform/' },
    to: { path: DEVICE_PROGRAM, pathNot: [LINK_PORTS, PORT_TYPES] },
  }),
  rule('platform-takes-types', 'ports of page and doctor are shapes; their code stays with their programs', {
    from: { path: '^device-agent/src/platform/' },
    to: { path: PORT_TYPES, dependencyTypesNot: ['type-only'] },
  }),

  // An installer's laptop
  rule('flash-moves-no-relay', 'it runs where there is no device: of it, what can be known without one', {
    from: { path: '^hardware/' },
    to: {
      path: '^(@relaygate/)?(server/|device-agent/(src|dist)/((agent|doctor|guard|relay|serial)/|provisioning/[^/]+$|relayctl/(?!board-profiles\\.)))',
    },
  }),

  // Everywhere
  rule('no-cycles', 'what imports itself cannot be understood or tested alone', { from: {}, to: { circular: true } }),
  rule('imports-exist', 'an import that cannot be resolved escapes every rule above', {
    from: {},
    to: { couldNotResolve: true, pathNot: 'precompiled-validators\\.js$' },
  }),
];

function rule(name, comment, fromTo) {
  return { name, comment, severity: 'error', ...fromTo };
}

module.exports = {
  forbidden,
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: '(^|/)(node_modules|dist)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'node', 'require', 'default'],
      extensions: ['.ts', '.tsx', '.d.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
