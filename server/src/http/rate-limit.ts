import type { Response } from 'express';
import type { RateLimit } from '../limits/budgets';

/**
 * Tells in `RateLimit` and `RateLimit-Policy` what is left (draft-ietf-httpapi-ratelimit-headers-10). `t` is `waitSeconds`, so that it is
 * never later than Retry-After. Legacy has no such headers.
 */
export function tellRateLimits(response: Response, limits: readonly RateLimit[]): void {
  const each = (parametersOf: (limit: RateLimit) => string): string =>
    limits.map((limit) => `"${limit.name}";${parametersOf(limit)}`).join(', ');
  const policies = each(({ quota, windowSeconds }) => `q=${quota};w=${windowSeconds}`);
  response.setHeader('RateLimit-Policy', policies);
  response.setHeader(
    'RateLimit',
    each(({ left, waitSeconds }) => `r=${left};t=${waitSeconds}`),
  );
}
