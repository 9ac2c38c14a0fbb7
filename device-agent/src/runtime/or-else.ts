/** What `look` returns; if it throws, `otherwise`: what it looks at is gone by now, or not for this user. */
export function orElse<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
