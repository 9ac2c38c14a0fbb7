import type { SerialConnection } from '../../../serial/serial-port';

/** A screen of 80 x 24 several times over. I15. */
export const MAX_UNREAD_CHARS = 16 * 1024;
const CUT = '\r\n[...]\r\n';

/** Writes to a terminal that may have stopped reading: text that does not fit meanwhile is dropped, and that is said. */
export function consoleOutput(connection: SerialConnection): (text: string) => void {
  let unread = '';
  let isCut = false;
  let isWriting = false;

  /** A port that refuses is gone, and reports that itself. */
  async function writeAll(): Promise<void> {
    isWriting = true;
    try {
      while (unread !== '') {
        const text = unread;
        unread = '';
        await connection.write(new TextEncoder().encode(text));
      }
    } catch {
      unread = '';
    } finally {
      isWriting = false;
    }
  }

  return (text) => {
    if (unread.length + text.length > MAX_UNREAD_CHARS) {
      isCut = true;
      return;
    }
    unread += isCut ? CUT + text : text;
    isCut = false;
    if (!isWriting) void writeAll();
  };
}
