import { useEffect, useState } from 'preact/hooks';

/** The browser's monotonic clock, read again every `everyMs`. */
export function useNow(everyMs: number): number {
  const [nowMs, setNowMs] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(performance.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  // If something else has it rendered, the time of that moment counts.
  return Math.max(nowMs, performance.now());
}
