import type { JSX } from 'preact';
import { usePage } from '../page-context';
import { InputsCard } from './inputs-card';
import { OutputCard } from './output-card';

/** Every output with its state, and what can be done with it; then the inputs. */
export function OutputsView(): JSX.Element {
  const { session, status } = usePage();
  return (
    <ul class="cards">
      {status.outputs.map((output) => (
        <li key={output.numOutput}>
          <OutputCard output={output} />
        </li>
      ))}
      {session.hasInputs && (
        <li>
          <InputsCard />
        </li>
      )}
    </ul>
  );
}
