/** Gives whether the promise is fulfilled by the time of the call. */
export function fulfilled(promise: Promise<unknown>): () => boolean {
  let isFulfilled = false;
  void promise.then(() => {
    isFulfilled = true;
  });
  return () => isFulfilled;
}
