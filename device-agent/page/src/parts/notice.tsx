/** A sentence that somebody has to see, with its sign. */
import type { ComponentChildren, JSX } from 'preact';
import type { Words } from '../../../src/locales/page';
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

export function MessageNotice({
  words,
  message: { isWell, text, agentSays },
}: {
  words: Words;
  message: Message;
}): JSX.Element {
  return (
    <Notice kind={isWell ? 'well' : 'ill'}>
      <p>{text}</p>
      {agentSays && <AgentSays words={words} text={agentSays} />}
    </Notice>
  );
}

/** The agent speaks English: a screen reader has to know. */
function AgentSays({ words, text }: { words: Words; text: string }): JSX.Element {
  return (
    <p>
      <span class="small">{words.agentSays}</span> <span lang="en">{text}</span>
    </p>
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
