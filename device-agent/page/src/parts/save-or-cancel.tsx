import type { JSX } from 'preact';
import { usePage } from '../page-context';
import { Button } from './button';

/** The end of a form in a panel. */
export function SaveOrCancel(props: { save: string; isOut: boolean; onCancel(): void }): JSX.Element {
  const { save, isOut, onCancel } = props;
  return (
    <div class="pair">
      <Button isSubmit kind="primary" isOut={isOut}>
        {save}
      </Button>
      <Button onClick={onCancel}>{usePage().words.cancel}</Button>
    </div>
  );
}
