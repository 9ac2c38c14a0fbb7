/** Where clients and their keys live. Each method is one transaction; a resolved write is durable (I8). */
export interface ClientStore {
  /** Fails with `already-exists` when a client has this name. */
  createClient(client: NewClient): Promise<void>;
  /** In the order of their names, after `afterName`, at most `limit` (1..1000). */
  listClients(afterName: string, limit: number): Promise<ClientSummary[]>;
  /** False when no client has this id or name. `atMs`: wall time. */
  setClientActive(idOrName: string, active: boolean, atMs: number): Promise<boolean>;
  /** An id goes before a name. */
  findClient(idOrName: string): Promise<NamedClient | undefined>;
  /**
   * The new key replaces the current one, which works until `oldKeyUntilMs`, as do older ones at most. Where that is
   * not after `atMs`, they are dead at once and every refresh family of the client is revoked with them (I13).
   * Undefined when no client has this id or name.
   */
  rotateClientKey(idOrName: string, rotation: KeyRotation): Promise<NamedClient | undefined>;
  /** Hot path: the client is active, and this key of it works at `atMs` (wall time). False also for unknown ones. */
  isKeyActive(holder: KeyHolder, atMs: number): Promise<boolean>;
  /** Also a rotated key that works on. `atMs`: the wall time that its end is compared with. */
  findClientKey(keyId: string, atMs: number): Promise<ClientKeyRecord | undefined>;
}

export interface NewClient {
  clientId: string;
  name: string;
  keyId: string;
  /** SHA-256 of the whole key, hex. */
  keyHash: string;
  createdAtMs: number;
}

/** Who logged in, and by which key: what was begun with a key ends with it (I13). */
export interface KeyHolder {
  clientId: string;
  keyId: string;
}

export interface NamedClient {
  clientId: string;
  name: string;
}

/** Times are wall time. */
export interface KeyRotation {
  keyId: string;
  /** SHA-256 of the whole new key, hex. */
  keyHash: string;
  oldKeyUntilMs: number;
  atMs: number;
}

export interface ClientSummary {
  clientId: string;
  name: string;
  keyId: string;
  active: boolean;
  createdAtMs: number;
  products: number;
  /** The latest end of its rotated keys, perhaps past already; null when it has none. */
  oldKeyUntilMs: number | null;
}

export interface ClientKeyRecord {
  clientId: string;
  keyHash: string;
  /** Of the client. */
  active: boolean;
}
