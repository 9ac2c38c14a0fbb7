/** While the database fails, reports, histories, ends of links and late outcomes are tried again after this time. */
export const DATABASE_RETRY_MS = 1_000;

const OUTCOME_FIRST_MS = 250;
const OUTCOME_CAP_MS = 5_000;

/**
 * How long the outcome of a command waits after so many failures in a row (1, 2, ...). The first try comes sooner, because
 * /readyz is red until the outcome is written.
 */
export function outcomeRetryMs(failures: number): number {
  return Math.min(OUTCOME_FIRST_MS * 2 ** (failures - 1), OUTCOME_CAP_MS);
}
