/** The server's settings. Each is an environment variable, RELAYGATE_ and the name in capitals, or a member of one file. */
import { type Static, Type } from './json-schema';

export const DEFAULT_SERVER_NAME = 'relaygate';

export const ServerSettings = Type.Object(
  {
    dataDir: Type.String({
      minLength: 1,
      default: './relaygate-data',
      description: 'a folder this program may write: database and secrets',
    }),
    databaseUrl: Type.Optional(
      Type.String({
        pattern: '^postgres(ql)?://[^\\s]+$',
        description:
          'a PostgreSQL database instead of the file in the data folder: postgresql://USER:PASSWORD@HOST:PORT/DATABASE',
      }),
    ),
    natsUrl: Type.Optional(
      Type.String({
        pattern: '^(nats|tls)://[^\\s]+$',
        description:
          'NATS servers between several nodes that share databaseUrl, separated by commas: tls://USER:PASSWORD@HOST:PORT',
      }),
    ),
    natsCa: Type.Optional(
      Type.String({
        minLength: 1,
        description: "a PEM file with the authorities of tls:// in natsUrl, if not the system's",
      }),
    ),
    listen: Type.String({
      pattern: '^(\\[[0-9A-Fa-f:.]+\\]|[^\\[:\\s][^:\\s]*):[0-9]{1,5}$',
      default: '127.0.0.1:8080',
      description: 'ADDRESS:PORT, for example 127.0.0.1:8080 or [::1]:8080; port 0 picks a free one',
    }),
    publicUrl: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        description: 'the address applications use, for example https://gate.example.com',
      }),
    ),
    serverName: Type.String({
      pattern: '^[\\x21-\\x7e]{1,128}$',
      default: DEFAULT_SERVER_NAME,
      description: '1 to 128 printable ASCII characters without spaces; devices sign it',
    }),
    tlsCert: Type.Optional(
      Type.String({ minLength: 1, description: 'a PEM file with the certificate chain; goes with tlsKey' }),
    ),
    tlsKey: Type.Optional(
      Type.String({ minLength: 1, description: 'a PEM file with the private key; goes with tlsCert' }),
    ),
    trustedProxies: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'addresses or networks of proxies that end TLS, separated by commas: 10.0.0.5,10.1.0.0/16 or loopback',
      }),
    ),
    corsOrigins: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'origins whose pages may use the API in browsers (CORS), separated by commas: https://app.example.com; none: nobody',
      }),
    ),
    legacyDeprecatedAt: Type.String({
      pattern: '^[0-9]{1,12}$',
      default: '1735689600',
      description: 'Unix seconds for the Deprecation header of the legacy API (RFC 9745)',
    }),
    logLevel: Type.Union(
      ['debug', 'info', 'warn', 'error', 'silent'].map((level) => Type.Literal(level)),
      { default: 'info', description: 'debug, info, warn, error or silent' },
    ),
    docs: Type.Union(
      ['on', 'off'].map((value) => Type.Literal(value)),
      { default: 'on', description: 'on or off: whether the API reference and its guide are shown at /docs' },
    ),
    diskWarningMib: Type.String({
      pattern: '^[0-9]{1,9}$',
      default: '1024',
      description: 'free space of the data folder, in MiB, below which the log warns; 0: never',
    }),
    diskLowMib: Type.String({
      pattern: '^[0-9]{1,9}$',
      default: '256',
      description: 'free space of the data folder, in MiB, below which /readyz says disk-low; 0: never',
    }),
    productCommandsPerMinute: Type.String({
      pattern: '^[1-9][0-9]{0,5}$',
      default: '1200',
      description: 'commands that one client may give to one product in a minute, 1 to 999999; beyond, 429',
    }),
    clientCommandsPerMinute: Type.String({
      pattern: '^[1-9][0-9]{0,5}$',
      default: '6000',
      description: 'commands that one client may give to all its products in a minute, 1 to 999999; beyond, 429',
    }),
    keepCommandsDays: Type.String({
      pattern: '^[0-9]{1,5}$',
      default: '90',
      description: 'days that applications may ask what became of a command; the audit keeps its records; 0: for ever',
    }),
    keepRevocationsDays: Type.String({
      pattern: '^[0-9]{1,5}$',
      default: '30',
      description:
        'days that revocations of devices are kept for servers of the same folder; the newest always is; 0: for ever',
    }),
    keepSessionsDays: Type.String({
      pattern: '^[0-9]{1,5}$',
      default: '30',
      description: 'days that login sessions are kept after they have ended, unused for 90 days; 0: for ever',
    }),
    keepHistoryPositionsDays: Type.String({
      pattern: '^[0-9]{1,5}$',
      default: '400',
      description: 'days that it is known how far the history of a replaced card was saved; 0: for ever',
    }),
    auditCheckpointFile: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'where the newest checkpoint of the audit is written, if not to audit-checkpoint.json in the data folder',
      }),
    ),
    nodeName: Type.String({
      pattern: '^(?!cli$)[A-Za-z0-9._-]{1,64}$',
      default: 'node-1',
      description:
        "this process's name in the audit and among nodes, to each its own: 1 to 64 letters, digits, dots, dashes; but not cli, the writer of operator's commands",
    }),
  },
  { additionalProperties: false },
);
export type ServerSettings = Static<typeof ServerSettings>;
