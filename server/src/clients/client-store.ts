/** Where clients and their keys live. Each method is one transaction; a resolved write is durable (I8). */
export interface ClientStore {
  /** Fails with `already-exists` if a client has this name. */
  createClient(client: NewClient): Promise<void>;
  /** In the order of their names, after `afterName`, at most `limit` (1..1000). */
  listClients(afterName: string, limit: number): Promise<ClientSummary[]>;
  /** False if no client has this id or name. `atMs`: wall time. */
  setClientActive(idOrName: string, active: boolean, atMs: number): Promise<boolean>;
  /** If the text is the id of one client and the name of another, the id counts. */
  findClient(idOrName: string): Promise<NamedClient | undefined>;
  /**
   * The new key replaces the current one. The current key and older ones work until `oldKeyUntilMs` at most. If that is not
   * after `atMs`, they end at once, and every refresh family of the client is revoked with them (I13). Undefined if no
   * client has this id or name.
   */
  rotateClientKey(idOrName: string, rotation: KeyRotation): Promise<NamedClient | undefined>;
  /** Hot path. True if the client is active and this key of it works at `atMs` (wall time). */
  isKeyActive(holder: KeyHolder, atMs: number): Promise<boolean>;
  /** Undefined if the key is unknown, or rotated and ended at `atMs` (wall time). */
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

/** Who logged in, and with which key: sessions end with the key that began them (I13). */
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
  /** The latest end of its rotated keys, which may be in the past; null if it has none. */
  oldKeyUntilMs: number | null;
}

export interface ClientKeyRecord {
  clientId: string;
  keyHash: string;
  /** Whether the client is active. */
  active: boolean;
}
