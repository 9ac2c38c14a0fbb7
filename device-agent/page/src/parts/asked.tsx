/** Something that a view asks of the agent when it is opened. */

import { useCallback, useEffect, useState } from 'preact/hooks';
import type { ActionName, Reply, Request } from '../../../src/agent/technician/local-messages/local-actions';
import { usePage } from '../page-context';
import { type Message, problemOf } from '../problem';

export interface Asked<T> {
  /** null: not yet, or it did not work. */
  value: T | null;
  problem: Message | null;
  again(): void;
}

export function useAsked<Name extends ActionName>(type: Name, body: Request<Name>): Asked<Reply<Name>> {
  const { t, ask } = usePage();
  const [value, setValue] = useState<Reply<Name> | null>(null);
  const [error, setError] = useState<unknown>(null);
  const text = JSON.stringify(body);
  const again = useCallback(() => {
    ask(type, JSON.parse(text)).then(
      (answer) => {
        setValue(answer);
        setError(null);
      },
      (problem: unknown) => setError(problem),
    );
  }, [ask, type, text]);
  useEffect(again, [again]);
  return { value, problem: error === null ? null : problemOf(t, error), again };
}
