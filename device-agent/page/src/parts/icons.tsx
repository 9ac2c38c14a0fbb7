/** Icons are part of the page, because nothing is fetched. Each stands beside a word, so screen readers skip it. */
import type { JSX } from 'preact';

const PATHS = {
  outputs: 'M4 7h9M4 17h9M17 4v6M17 14v6M20 7h-3M20 17h-3',
  link: 'M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17',
  activity: 'M12 7v5l3.5 2M3.5 12a8.5 8.5 0 1 0 2.6-6.1L3.5 8.4M3.5 4v4.4H8',
  checks: 'M9 12l2.2 2.2L15.5 10M12 3l7.5 2.8v5.4c0 4.6-3 8-7.5 9.8-4.5-1.8-7.5-5.2-7.5-9.8V5.8z',
  on: 'M12 4v8M7.3 6.8a7.5 7.5 0 1 0 9.4 0',
  off: 'M5 12a7 7 0 1 0 14 0a7 7 0 1 0-14 0',
  unknown: 'M9 9a3 3 0 1 1 4.4 2.7c-1 .6-1.4 1.2-1.4 2.3M12 17.6v.1',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  settings: 'M4 8h7M17 8h3M4 16h3M13 16h7M14 5.5v5M10 13.5v5',
  good: 'M5 12.5l4.5 4.5L19 7.5',
  bad: 'M6 6l12 12M18 6L6 18',
  warn: 'M12 4l9 16H3zM12 10v4.5M12 17.3v.1',
} as const;
export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
