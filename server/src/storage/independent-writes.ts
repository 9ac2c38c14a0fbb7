import type { StorageWrite } from './storage';

/** What a write is about, and nothing else. */
export interface Subject {
  kind: 'command' | 'device';
  /** The command's id; the product's login. */
  id: string;
}

/**
 * The same writes in their order, in parts whose writes may run at once, but those about the same subject one after the other: a part
 * is one write, or some about commands, or some about devices. What writes about several commands do to the same product does not
 * depend on their order: the newest frame wins, and a record that another node's command refuses too early is done again alone. A
 * command and its product's link stay in order, because that decides whether the link's node may send it.
 */
export function independentOf<Request extends { write: StorageWrite }>(due: readonly Request[]): Request[][] {
  const parts: Request[][] = [];
  let kind: Subject['kind'] | undefined;
  for (const request of due) {
    const subject = subjectOf(request.write);
    const part = parts.at(-1);
    if (part && subject && subject.kind === kind) part.push(request);
    else parts.push([request]);
    kind = subject?.kind;
  }
  return parts;
}

/** Undefined: more than one command or device. */
export function subjectOf(write: StorageWrite): Subject | undefined {
  switch (write.name) {
    case 'recordCommand':
    case 'recordOutcome':
      return { kind: 'command', id: write.args[0].commandId };
    case 'recordBoot':
      return { kind: 'command', id: write.args[0] };
    case 'enrolDevice':
    case 'openLink':
    case 'closeLink':
    case 'settleLink':
    case 'saveReport':
    case 'keepHistory':
      return { kind: 'device', id: write.args[0] };
    default:
      return undefined;
  }
}
