import { monotonicNowMs } from '@relaygate/shared/system';
import type { Answer } from '../server/api-client';
import { isServerGone } from './load';

export type Wish = 'set 0' | 'set 1' | 'toggle';

/** One command of an application, as it saw it. Times on CLOCK_MONOTONIC, like those of edges. */
export interface Call {
  readonly numOutput: number;
  readonly wish: Wish;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly tookMs: number;
  /** null: the connection broke before an answer came. */
  readonly status: number | null;
  readonly text: string;
  readonly commandId: string | null;
}

/** Rejects only when the answer itself is wrong, as by the OpenAPI document. */
export async function callOf(numOutput: number, wish: Wish, ask: () => Promise<Answer>): Promise<Call> {
  const sentMs = monotonicNowMs();
  const answer = await ask().catch((error: unknown) => {
    if (isServerGone(error)) return null;
    throw error;
  });
  const answeredMs = monotonicNowMs();
  const commandId = answer?.headers.get('command-id') ?? null;
  const tookMs = answeredMs - sentMs;
  return {
    numOutput,
    wish,
    sentMs,
    answeredMs,
    tookMs,
    status: answer?.status ?? null,
    text: answer?.text ?? '',
    commandId,
  };
}
