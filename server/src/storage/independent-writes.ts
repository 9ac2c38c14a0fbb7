import type { StorageWrite } from './storage';

/**
 * The same writes in their order, in parts that may run at once: a part is one write, or some that are about one command each,
 * none of them twice. What such writes do to the same product does not depend on their order: the newest frame wins, and a
 * record that another node's command refuses too early is done again alone.
 */
export function independentOf<Request extends { write: StorageWrite }>(due: readonly Request[]): Request[][] {
  const parts: Request[][] = [];
  let commands = new Set<string>();
  for (const request of due) {
    const commandId = commandOf(request.write);
    const part = parts.at(-1);
    if (part && commandId !== undefined && commands.size > 0 && !commands.has(commandId)) part.push(request);
    else {
      parts.push([request]);
      commands = new Set();
    }
    if (commandId !== undefined) commands.add(commandId);
  }
  return parts;
}

/** Of a write that is about one command and nothing else. */
function commandOf(write: StorageWrite): string | undefined {
  if (write.name === 'recordCommand' || write.name === 'recordOutcome') return write.args[0].commandId;
  return write.name === 'recordBoot' ? write.args[0] : undefined;
}
