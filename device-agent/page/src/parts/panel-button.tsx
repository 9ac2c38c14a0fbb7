import type { ComponentChildren, JSX } from 'preact';
import { Button } from './button';
import { Icon, type IconName } from './icons';

/** Opens what is below it. */
export function PanelButton(props: {
  icon: IconName;
  isOpen: boolean;
  onClick(): void;
  children: ComponentChildren;
}): JSX.Element {
  const { icon, isOpen, onClick, children } = props;
  return (
    <Button kind="plain" aria-expanded={isOpen} onClick={onClick}>
      <Icon name={icon} />
      {children}
    </Button>
  );
}
