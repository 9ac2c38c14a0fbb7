/** Steps of the schema that both engines take as they are. */

/** When a key of a client came first, by the database's clock. */
export const KEY_TIMES = `
ALTER TABLE commands ADD COLUMN key_since_ms BIGINT;
`;

/** For the lists that a client reads of its own commands, of all products and of one: the newest first. */
export const COMMANDS_BY_CLIENT = `
CREATE INDEX commands_by_client ON commands (actor_id, accepted_at_ms, command_id);
CREATE INDEX commands_by_client_and_product ON commands (product_id, actor_id, accepted_at_ms, command_id);
`;

/**
 * How far keys of commands are released (`upkeep/key-release.ts`). `seen_id`: the last row at the turn at which keys were due last;
 * its keys are due at the next.
 */
export const KEY_RELEASE = `
CREATE TABLE key_release (
  turns BIGINT NOT NULL,
  seen_id BIGINT NOT NULL,
  due_id BIGINT NOT NULL,
  released_id BIGINT NOT NULL
);
INSERT INTO key_release SELECT 0, COALESCE(MAX(id), 0), 0, 0 FROM commands;
`;
