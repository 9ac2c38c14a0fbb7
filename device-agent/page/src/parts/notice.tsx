/** A sentence that must be seen, with its sign. */
import type { ComponentChildren, JSX } from 'preact';
import type { Message } from '../problem';
import { Icon, type IconName } from './icons';

const ICONS = { well: 'good', calm: 'warn', ill: 'warn' } as const;

interface NoticeProps {
  kind: keyof typeof ICONS;
  icon?: IconName;
  children: ComponentChildren;
}

export function Notice({ kind, icon = ICONS[kind], children }: NoticeProps): JSX.Element {
  return (
    <div class={`notice ${kind}`}>
      <Icon name={icon} />
      <div>{children}</div>
    </div>
  );
}

export function MessageNotice({ message: { isWell, text } }: { message: Message }): JSX.Element {
  return (
    <Notice kind={isWell ? 'well' : 'ill'}>
      <p>{text}</p>
    </Notice>
  );
}

/** A word with its sign before it. */
export function Marked({ icon, children }: { icon: IconName; children: ComponentChildren }): JSX.Element {
  return (
    <p class="with-icon">
      <Icon name={icon} />
      <span>{children}</span>
    </p>
  );
}
