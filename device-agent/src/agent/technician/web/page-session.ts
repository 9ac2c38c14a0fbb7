/** What POST and GET /api/session answer: who somebody is here, and what settings may be. */
import { EXECUTION_DEADLINE_MS, LOCK_MAX_MS, LOCK_MIN_MS } from '@relaygate/shared';
import { type FormMember, fieldOf, OUTPUT_FORMS, type OutputField } from '@relaygate/shared/device';
import type { Session } from './sessions';

export interface PageSession {
  csrfToken: string;
  /** "page as NAME", or "page". */
  actor: string;
  /** For hints: the page checks nothing itself, and the actions refuse what is outside. */
  limits: typeof LIMITS;
  outputFields: readonly OutputField<FormMember<'page'>>[];
  /** Whether the board has inputs. */
  hasInputs: boolean;
}

const LIMITS = {
  /** From the tap to the relay. */
  commandMs: EXECUTION_DEADLINE_MS,
  lockMs: { min: LOCK_MIN_MS, max: LOCK_MAX_MS },
};
const OUTPUT_FIELDS = OUTPUT_FORMS.page.map((member) => fieldOf(member));

export function pageSession({ csrfToken, actor }: Session, hasInputs: boolean): PageSession {
  return { csrfToken, actor, limits: LIMITS, outputFields: OUTPUT_FIELDS, hasInputs };
}
