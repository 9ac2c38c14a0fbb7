import { LEGACY_OPERATIONS } from './legacy-operations';
import { LIST_OPERATIONS } from './list-operations';
import type { Operation } from './operation';
import { V1_OPERATIONS } from './v1-operations';

/**
 * Every operation of the API. Routes, OpenAPI document, log of refusals and the tests' table of routes are made from it. v1
 * comes first, because Express tries routes in their order and each try costs time.
 */
export const OPERATIONS: readonly Operation[] = [...V1_OPERATIONS, ...LIST_OPERATIONS, ...LEGACY_OPERATIONS];
