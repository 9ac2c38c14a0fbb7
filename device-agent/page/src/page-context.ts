/** What every view of a logged-in technician needs. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { DeviceStatus } from '../../src/agent/technician/local-messages/device';
import type { PageTranslations } from '../../src/locales/page';
import type { Ask } from './device';
import type { Language } from './language';
import type { Session } from './session';

export interface Page {
  t: PageTranslations;
  language: Language;
  session: Session;
  status: DeviceStatus;
  /** When `status` came, on the browser's monotonic clock. */
  statusAtMs: number;
  /** The status is old, and nothing can be asked. */
  isLost: boolean;
  ask: Ask;
  refresh(): void;
}

export const PageContext = createContext<Page | null>(null);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('a view outside of the page');
  return page;
}
