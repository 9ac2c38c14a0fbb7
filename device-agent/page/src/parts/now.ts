import { useEffect, useState } from 'preact/hooks';

/** The browser's monotonic clock, looked at again every `everyMs`. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(performance.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  // Whoever renders for another reason wants the time of that moment.
  return Math.max(nowMs, performance.now());
}
