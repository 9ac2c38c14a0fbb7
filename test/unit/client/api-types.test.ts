/** The client has types of its own, so that it needs no other package. They are held to the schemas that the document is made of. */
import { expect, test } from '@jest/globals';
import type * as client from '@relaygate/client';
import type * as shared from '@relaygate/shared';
import type { ERRORS } from '@relaygate/shared';

/** Each fits the other. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type WithStatus = { [Code in shared.ErrorCode]: (typeof ERRORS)[Code] extends { status: number } ? Code : never };

/** A line that is no `true` does not compile. */
const SAME: {
  productState: Same<client.ProductState, shared.ProductState>;
  outputStatus: Same<client.OutputStatus, shared.OutputStatus>;
  inputStatus: Same<client.InputStatus, shared.InputStatus>;
  commandStatus: Same<client.CommandStatus, shared.CommandStatus>;
  productPage: Same<client.ProductPage, shared.Static<typeof shared.ProductList>>;
  commandPage: Same<client.CommandPage, shared.Static<typeof shared.CommandList>>;
  errorCode: Same<client.ErrorCode, WithStatus[shared.ErrorCode]>;
} = {
  productState: true,
  outputStatus: true,
  inputStatus: true,
  commandStatus: true,
  productPage: true,
  commandPage: true,
  errorCode: true,
};

test('its types are those of the API', () => {
  expect(Object.values(SAME).every((same) => same)).toBe(true);
});
