/** When the wiring was proven, ISO 8601; null: the device's clock was not set then. */
export function proofTime(proof: { provenAt: string; isClockSet?: false | undefined }): string | null {
  return proof.isClockSet === false ? null : proof.provenAt;
}
