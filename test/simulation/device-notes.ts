/** What is written down of a device, as seen from outside its programs. */
import type { BoardLog } from './board';
import type { LinkSpan } from './history';
import type { Surroundings } from './surroundings';

/** `commandOf`: the command with this deadline, in words. */
export function boardLog(world: Surroundings, commandOf: (notAfterMs: number | null) => string): BoardLog {
  const { history } = world;
  return {
    edge(edge) {
      const { machine, output, active, cause, notAfterMs } = edge;
      history.edges.push(edge);
      world.trace(
        () => `edge ${machine} output ${output} ${active ? 'on' : 'off'} (${cause}, ${commandOf(notAfterMs)})`,
      );
    },
    renewal(renewal) {
      const { machine, output, notAfterMs } = renewal;
      history.renewals.push(renewal);
      world.trace(() => `order ${machine} output ${output} is on already (${commandOf(notAfterMs)})`);
    },
    input(change) {
      const { machine, input, shows } = change;
      history.inputs.push(change);
      world.trace(() => `input ${machine} ${input} shows ${shows === null ? 'nothing' : shows ? 'on' : 'off'}`);
    },
  };
}

/** Of one connection of the link, at the agent's end: up from the resume report until it ends. */
export function linkNotes(
  { history, scheduler }: Surroundings,
  machine: string,
): { sent(text: string): void; over(): void } {
  let span: LinkSpan | null = null;
  return {
    sent(text) {
      if (span !== null || !text.startsWith('{"type":"resume"')) return;
      span = { machine, fromMs: scheduler.nowMs, untilMs: null };
      history.links.push(span);
    },
    over() {
      if (span !== null) span.untilMs ??= scheduler.nowMs;
    },
  };
}

/** Of one connection to a guard: what it is asked, and what it says. */
export function guardNotes(
  world: Surroundings,
  machine: string,
): { asked(line: string): void; said(line: string): void } {
  const { history, scheduler } = world;
  return {
    asked(line) {
      const atMs = scheduler.nowMs;
      if (line.includes('"type":"epoch"')) history.guardEpochs.push({ machine, epoch: JSON.parse(line).epoch, atMs });
      if (!line.includes('"type":"execute"')) return;
      const { commandId, numOutput, command, epoch } = JSON.parse(line);
      history.asked.push({ machine, commandId, numOutput, command, isLocal: epoch === null, atMs });
      world.trace(() => `guard ${machine} is asked for ${commandId}: ${numOutput} ${JSON.stringify(command)}`);
    },
    said(line) {
      if (!line.includes('"outcome"')) return;
      const { value } = JSON.parse(line);
      const isReply = value?.outcomes === undefined;
      const said: { commandId: string; outcome: string; reason?: string }[] = value?.outcomes ?? [value];
      for (const { commandId, outcome, reason = null } of said) {
        if (outcome === undefined) continue;
        history.verdicts.push({ machine, commandId, outcome, reason, isReply, atMs: scheduler.nowMs });
        world.trace(() => `guard ${machine} says of ${commandId}: ${outcome} ${reason ?? ''}`);
      }
    },
  };
}
