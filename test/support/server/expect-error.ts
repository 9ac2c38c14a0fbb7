import { expect } from '@jest/globals';
import type { Answer } from './api-client';

/** The contract's error, and nothing beside it. */
export function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, body: answer.json }).toEqual({ status, body: { error: code } });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
}
