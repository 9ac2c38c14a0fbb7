import type { JSX } from 'preact';
import { usePage } from '../page-context';
import { OutputCard } from './output-card';

/** Every output with its state, and what can be done with it. */
export function OutputsView(): JSX.Element {
  const { status } = usePage();
  return (
    <ul class="cards">
      {status.outputs.map((output) => (
        <li key={output.numOutput}>
          <OutputCard output={output} />
        </li>
      ))}
    </ul>
  );
}
