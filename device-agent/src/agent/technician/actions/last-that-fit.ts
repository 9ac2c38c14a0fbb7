/** The last entries that take at most `maxBytes` as JSON, in their order. */
export function lastThatFit<Entry>(entries: readonly Entry[], maxBytes: number): Entry[] {
  let bytes = 0;
  const last = entries.findLastIndex((entry) => {
    // With its comma.
    bytes += Buffer.byteLength(JSON.stringify(entry)) + 1;
    return bytes > maxBytes;
  });
  return entries.slice(last + 1);
}
