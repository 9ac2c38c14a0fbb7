import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { TextField } from './text-field';

interface FieldProps {
  label: string;
  hint?: string;
  /** The choices with their names; none: a line to type into. */
  choices: readonly (readonly [string, string])[];
  isNumber: boolean;
  value: string;
  onText(text: string): void;
}

/** A setting in a form. */
export function Field({ choices, isNumber, ...props }: FieldProps): JSX.Element {
  const id = useId();
  // The browser says what is wrong, in its own language.
  if (choices.length === 0)
    return <TextField {...props} {...(isNumber && { inputMode: 'numeric', pattern: '\\d+', required: true })} />;
  return (
    <fieldset class="field">
      <legend>{props.label}</legend>
      <div class="pair">
        {choices.map(([choice, name]) => (
          <label key={choice} class="choice">
            <input type="radio" name={id} checked={props.value === choice} onChange={() => props.onText(choice)} />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
