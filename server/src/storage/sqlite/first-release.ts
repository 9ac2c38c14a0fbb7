import { FIRST_AUDIT } from './audit-schema';

/** The database's shape in the first release. All later changes are steps in `migrations.ts`. */
export const FIRST_RELEASE = `
CREATE TABLE clients (
  client_id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  key_id TEXT NOT NULL UNIQUE,
  key_hash TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  created_at_ms BIGINT NOT NULL
);

CREATE TABLE products (
  product_login TEXT NOT NULL PRIMARY KEY,
  key_hash TEXT NOT NULL,
  enrolment_hash TEXT NOT NULL,
  activated INTEGER NOT NULL CHECK (activated IN (0, 1)),
  created_at_ms BIGINT NOT NULL,
  device_public_key TEXT,
  link_epoch BIGINT NOT NULL DEFAULT 0,
  connected INTEGER NOT NULL DEFAULT 0 CHECK (connected IN (0, 1)),
  last_seen_at_ms BIGINT,
  agent_version TEXT,
  boot_id TEXT,
  faults TEXT NOT NULL DEFAULT '[]',
  replaced_at_ms BIGINT
);

CREATE TABLE outputs (
  product_login TEXT NOT NULL REFERENCES products (product_login),
  num_output INTEGER NOT NULL,
  activated INTEGER NOT NULL CHECK (activated IN (0, 1)),
  name TEXT,
  mode TEXT,
  state INTEGER CHECK (state IN (0, 1)),
  pulse_ms INTEGER,
  observed_at_ms BIGINT,
  PRIMARY KEY (product_login, num_output)
);

CREATE TABLE associations (
  client_id TEXT NOT NULL REFERENCES clients (client_id),
  product_login TEXT NOT NULL REFERENCES products (product_login),
  PRIMARY KEY (client_id, product_login)
);
CREATE INDEX associations_by_product ON associations (product_login);

-- One row a revocation, so that a server sees those of other processes (I13).
CREATE TABLE device_revocations (
  revocation BIGINT NOT NULL PRIMARY KEY,
  product_login TEXT NOT NULL REFERENCES products (product_login)
);

CREATE TABLE refresh_families (
  family_id TEXT NOT NULL PRIMARY KEY,
  client_id TEXT NOT NULL REFERENCES clients (client_id),
  generation BIGINT NOT NULL,
  token_hash TEXT NOT NULL,
  rotated_at_ms BIGINT NOT NULL,
  revoked INTEGER NOT NULL CHECK (revoked IN (0, 1))
);
CREATE INDEX refresh_families_by_client ON refresh_families (client_id, rotated_at_ms);

${FIRST_AUDIT}
-- Commands whose outcome is not known; the audit has the rest of each.
CREATE TABLE open_commands (
  command_id TEXT NOT NULL PRIMARY KEY,
  product_login TEXT NOT NULL REFERENCES products (product_login),
  node_name TEXT NOT NULL,
  boot_id TEXT,
  accepted_at_ms BIGINT NOT NULL,
  pending INTEGER NOT NULL CHECK (pending IN (0, 1))
);
CREATE INDEX open_commands_by_product ON open_commands (product_login, accepted_at_ms);

-- One row that \`probe\` writes: only a real write shows that writes succeed.
CREATE TABLE write_probe (id INTEGER NOT NULL PRIMARY KEY, probes BIGINT NOT NULL);
INSERT INTO write_probe (id, probes) VALUES (1, 0);
`;
