import type { ComponentChildren, JSX } from 'preact';

interface ButtonProps {
  kind?: 'primary' | 'plain' | 'chosen' | 'armed' | '';
  isSubmit?: boolean;
  /** It does nothing now, keeps the focus, and says so. */
  isOut?: boolean;
  onClick?(): void;
  children: ComponentChildren;
}

type Rest = Omit<JSX.HTMLAttributes<HTMLButtonElement>, keyof ButtonProps>;

export function Button({ kind = '', isSubmit, isOut, onClick, children, ...rest }: ButtonProps & Rest): JSX.Element {
  return (
    <button
      {...rest}
      type={isSubmit ? 'submit' : 'button'}
      class={`button ${kind}`}
      aria-disabled={isOut}
      onClick={() => !isOut && onClick?.()}
    >
      {children}
    </button>
  );
}
