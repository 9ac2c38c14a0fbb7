import { LEGACY_OPERATIONS } from './legacy-operations';
import type { Operation } from './operation';
import { V1_OPERATIONS } from './v1-operations';

/** Every operation of the API, once: routes, OpenAPI document, log of refusals and the tests' table of routes follow it. */
export const OPERATIONS: readonly Operation[] = [...LEGACY_OPERATIONS, ...V1_OPERATIONS];
