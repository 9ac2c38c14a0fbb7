import type { JSX, Ref } from 'preact';
import { useId } from 'preact/hooks';

interface TextFieldProps {
  label: string;
  hint?: string;
  value: string;
  onText(text: string): void;
  input?: Ref<HTMLInputElement>;
}

type Rest = Omit<JSX.InputHTMLAttributes<HTMLInputElement>, keyof TextFieldProps>;

/** A line to type into, with its meaning above and its limits below. */
export function TextField({ label, hint, value, onText, input, ...rest }: TextFieldProps & Rest): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        autocomplete="off"
        {...rest}
        ref={input ?? null}
        id={id}
        value={value}
        onInput={(event) => onText(event.currentTarget.value)}
        aria-describedby={`${id}-hint`}
      />
      <p id={`${id}-hint`} class="hint">
        {hint}
      </p>
    </div>
  );
}
