/** `pin.json`: what a device keeps of the PIN for its console and its page. */
import { parserOf, type Randomness, type Static, Type } from '@relaygate/shared';
import type { HashPin } from './hash-pin';
import type { JsonFormat } from './json-file';

const Base64 = Type.String({ pattern: '^[A-Za-z0-9_-]+$' });
export const PinRecord = Type.Object({
  /** Tells one PIN from another in the history. */
  id: Base64,
  salt: Base64,
  hash: Base64,
  /** Wrong PINs at the page in the last hour. Older versions: in a row. */
  wrong: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Wrong PINs in a row. */
  wrongAtConsole: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Hashes of the tokens of browsers that were let in by this PIN; the one let in longest ago first. */
  browsers: Type.Optional(Type.Array(Base64)),
});
export type PinRecord = Static<typeof PinRecord>;
/** Nobody but the agent reads it. */
export const PIN_FORMAT: JsonFormat<PinRecord> & { mode: number } = { parse: parserOf(PinRecord), mode: 0o600 };

export const PIN_DIGITS = 8;
/** A text that cannot be a PIN is no try. */
export const PIN_PATTERN = new RegExp(`^\\d{${PIN_DIGITS}}$`);
/** For all addresses together; after that only known ones go on. In a year without pause that finds one PIN of 190. */
export const MAX_WRONG_PER_HOUR = 60;
export const MAX_KNOWN_BROWSERS = 16;
const PINS = 10 ** PIN_DIGITS;
/** The largest multiple of PINS among the numbers of 32 bits: below it every PIN is as likely as another. */
const FAIR_LIMIT = Math.floor(2 ** 32 / PINS) * PINS;
const ID_BYTES = 6;
const SALT_BYTES = 16;

/** Makes a new PIN, which is shown once, and its record. */
export async function newPin(randomness: Randomness, hashPin: HashPin): Promise<{ pin: string; record: PinRecord }> {
  const pin = drawPin(randomness);
  const salt = randomness.bytes(SALT_BYTES);
  const hash = base64(await hashPin(pin, salt));
  return { pin, record: { id: base64(randomness.bytes(ID_BYTES)), salt: base64(salt), hash } };
}

function drawPin(randomness: Randomness): string {
  for (;;) {
    const number = Buffer.from(randomness.bytes(4)).readUInt32BE();
    if (number < FAIR_LIMIT) return String(number % PINS).padStart(PIN_DIGITS, '0');
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}
