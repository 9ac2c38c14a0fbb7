import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** `rgr_<family>_<generation>_<mac>`, opaque to clients. Family: 128 bits in hex. Mac: HMAC-SHA-256, base64url. */
const FORMAT = /^rgr_([0-9a-f]{32})_([0-9]{1,9})_([A-Za-z0-9_-]{43})$/;

export interface RefreshTokenContent {
  familyId: string;
  generation: number;
}

/** The token of a generation is always the same, so that a lost answer can be repeated. */
export function refreshTokenOf(secret: KeyObject, { familyId, generation }: RefreshTokenContent): string {
  const mac = createHmac('sha256', secret).update(`${familyId}.${generation}`).digest('base64url');
  return `rgr_${familyId}_${generation}_${mac}`;
}

/** The content of a token of this server. Undefined for any other text, so that nobody can revoke a family by guessing. */
export function readRefreshToken(secret: KeyObject, token: string): RefreshTokenContent | undefined {
  const [, familyId, generationText] = FORMAT.exec(token) ?? [];
  if (familyId === undefined || generationText === undefined) return undefined;
  const content = { familyId, generation: Number(generationText) };
  return sameText(token, refreshTokenOf(secret, content)) ? content : undefined;
}

/** SHA-256, hex. Only this is stored. */
export function hashRefreshToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
