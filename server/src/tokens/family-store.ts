/** Where refresh families live: one row a login, whatever the number of its rotations. */
export interface FamilyStore {
  /** Beyond MAX_FAMILIES_PER_CLIENT the client's family unused for longest gives way, revoked ones first; on record if it was alive. */
  createFamily(family: RefreshFamily): Promise<void>;
  findFamily(familyId: string): Promise<RefreshFamily | undefined>;
  /** Compare and set: true when the family still stood at `fromGeneration`, unrevoked, and now stands one further. */
  rotateFamily(familyId: string, fromGeneration: number, tokenHash: string, atMs: number): Promise<boolean>;
  revokeFamily(familyId: string, atMs: number): Promise<void>;
}

export interface RefreshFamily {
  familyId: string;
  clientId: string;
  /** Of the client key that it was logged in with. */
  keyId: string;
  /** Counts rotations; the live token is of this generation. */
  generation: number;
  /** SHA-256 of the live token, hex. */
  tokenHash: string;
  /** Wall time of the last rotation, or of the login. */
  rotatedAtMs: number;
  revoked: boolean;
}
