/** Stores refresh families: one row for each login, whatever the number of its rotations. */
export interface FamilyStore {
  /**
   * Beyond MAX_FAMILIES_PER_CLIENT, the client's family that was unused for longest ends, revoked ones first. If it was alive,
   * the audit records its end.
   */
  createFamily(family: RefreshFamily): Promise<void>;
  findFamily(familyId: string): Promise<RefreshFamily | undefined>;
  /** Compare and set: true if the family was unrevoked and at `fromGeneration`, and is now one generation further. */
  rotateFamily(familyId: string, fromGeneration: number, tokenHash: string, atMs: number): Promise<boolean>;
  revokeFamily(familyId: string, atMs: number): Promise<void>;
}

export interface RefreshFamily {
  familyId: string;
  clientId: string;
  /** The client key of the login. */
  keyId: string;
  /** The generation of the live token: the number of rotations. */
  generation: number;
  /** SHA-256 of the live token, hex. */
  tokenHash: string;
  /** Wall time of the last rotation, or of the login. */
  rotatedAtMs: number;
  revoked: boolean;
}
