/** Names in a folder of FAT: 8.3 in capitals, and long ones beside them. Source: Microsoft's FAT specification 1.03, "FAT long directory entries". */

export const ENTRY_BYTES = 32;
const LONG_NAME = 0x0f;
const LAST_LONG = 0x40;
const CHARS_PER_LONG = 13;
/** Where the characters of a long entry lie in it. */
const LONG_AT: readonly number[] = [1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30];
const SHORT_BASE_CHARS = 8;
const SHORT_CHARS = 11;

export function isLong(entry: Buffer): boolean {
  return (entry.readUInt8(11) & 0x3f) === LONG_NAME;
}

export function shortNameOf(entry: Buffer): string {
  return entry.toString('latin1', 0, SHORT_CHARS);
}

/** Of the entries before a short one, the nearest last; empty where none belongs to it. */
export function longNameOf(entries: readonly Buffer[], short: Buffer): string {
  const checksum = checksumOf(short.subarray(0, SHORT_CHARS));
  const own = entries.filter((entry) => entry.readUInt8(13) === checksum);
  const chars = own.toReversed().map((entry) => String.fromCharCode(...LONG_AT.map((at) => entry.readUInt16LE(at))));
  return chars.join('').split('\0', 1)[0] ?? '';
}

/** The long entries of a name, in the order in which they stand before its short one. */
export function longEntries(name: string, shortName: string): Buffer[] {
  const checksum = checksumOf(Buffer.from(shortName, 'latin1'));
  const count = Math.ceil(name.length / CHARS_PER_LONG);
  const entries = Array.from({ length: count }, (_, n) => {
    const entry = Buffer.alloc(ENTRY_BYTES);
    entry.writeUInt8(n === count - 1 ? (n + 1) | LAST_LONG : n + 1, 0);
    entry.writeUInt8(LONG_NAME, 11);
    entry.writeUInt8(checksum, 13);
    for (const [char, at] of LONG_AT.entries()) {
      const index = n * CHARS_PER_LONG + char;
      // Behind the name one zero, then what means nothing.
      const code = index < name.length ? name.charCodeAt(index) : index === name.length ? 0 : 0xffff;
      entry.writeUInt16LE(code, at);
    }
    return entry;
  });
  return entries.toReversed();
}

/** A short name that nobody has: RELAYG~1 and so on. `taken`: 11 characters each. */
export function freeShortName(name: string, taken: ReadonlySet<string>): string {
  const [, base = name, extension = ''] = /^(.+)\.([^.]*)$/.exec(name) ?? [];
  const clean = (text: string): string => text.toUpperCase().replaceAll(/[^A-Z0-9_-]/g, '');
  for (let n = 1; ; n += 1) {
    const tail = `~${n}`;
    const start = clean(base).slice(0, SHORT_BASE_CHARS - tail.length);
    const short = `${start}${tail}`.padEnd(SHORT_BASE_CHARS) + clean(extension).slice(0, 3).padEnd(3);
    if (!taken.has(short)) return short;
  }
}

function checksumOf(shortName: Uint8Array): number {
  return shortName.reduce((sum, byte) => (((sum & 1) << 7) + (sum >> 1) + byte) & 0xff, 0);
}
