import type { ComponentChildren, JSX } from 'preact';
import { usePage } from '../page-context';
import type { Action } from './action';
import { Button } from './button';

interface PanelFormProps {
  action: Action;
  /** The text of the button that saves. */
  save: string;
  onSave(): void;
  onCancel(): void;
  children: ComponentChildren;
}

/** A form in a panel. It saves nothing while the device is away or something is asked of it. */
export function PanelForm({ action, save, onSave, onCancel, children }: PanelFormProps): JSX.Element {
  const { t, isLost } = usePage();
  const isOut = action.isBusy || isLost;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!isOut) onSave();
  };
  return (
    <form class="panel" onSubmit={submit}>
      {children}
      <div class="pair">
        <Button isSubmit kind="primary" isOut={isOut}>
          {save}
        </Button>
        <Button onClick={onCancel}>{t.cancel}</Button>
      </div>
    </form>
  );
}
