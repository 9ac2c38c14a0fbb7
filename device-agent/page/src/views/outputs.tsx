import type { JSX } from 'preact';
import { usePage } from '../page-context';
import { InputsCard } from './inputs-card';
import { OutputCard } from './output-card';

/** Every output with its state, and what can be done with it; then the inputs. */
export function OutputsView(): JSX.Element {
  const { outputs, inputs = [] } = usePage().status;
  return (
    <ul class="cards">
      {outputs.map((output) => (
        <li key={output.numOutput}>
          <OutputCard output={output} />
        </li>
      ))}
      <li>
        <InputsCard inputs={inputs} />
      </li>
    </ul>
  );
}
