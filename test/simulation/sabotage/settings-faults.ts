/** Deliberate faults in what becomes of a technician's changes. */
import { OutputChanges } from '@relaygate/device-agent/guard/output-changes';
import { RunningOutput } from '@relaygate/device-agent/guard/running-output';
import type { Cancel } from '@relaygate/shared';
import { changed } from './changed';
import type { Sabotage } from './sabotage';

/** Settings are called saved while they wait in a cache. */
export function savesSettingsLater(): Sabotage {
  const laterMs = 3_000;
  return {
    agentFiles: (files, { scheduler }) => ({
      ...files,
      async replace(path, text, options) {
        if (!path.endsWith('settings.json')) return files.replace(path, text, options);
        scheduler.in(laterMs, () => void files.replace(path, text, options).catch(() => {}));
      },
    }),
  };
}

/** A change of settings stretches the pulses that run. */
export function stretchesRunningPulses(): Sabotage {
  const stretchMs = 1_000;
  const running = new Set<() => void>();
  return {
    guardClock: (clock) => ({
      nowMs: () => clock.nowMs(),
      after(delayMs, run) {
        const over = (): void => {
          running.delete(stretch);
          run();
        };
        let cancel: Cancel = clock.after(delayMs, over);
        const stretch = (): void => {
          cancel();
          cancel = clock.after(delayMs + stretchMs, over);
        };
        running.add(stretch);
        return () => {
          running.delete(stretch);
          cancel();
        };
      },
    }),
    toGuard(line) {
      if (JSON.parse(line).type === 'configure') for (const stretch of [...running]) stretch();
      return line;
    },
  };
}

/** The server hears of a device's settings once. */
export function reportsFirstSettings(): Sabotage {
  const first = new Map<string, { mode: string; pulseMs: number }[]>();
  return {
    serverLink: ({ productLogin }) => ({
      received(text) {
        const message = JSON.parse(text);
        if (message.type !== 'report') return text;
        const known = first.get(productLogin) ?? message.outputs;
        first.set(productLogin, known);
        const outputs = message.outputs.map((output: object, n: number) => ({
          ...output,
          mode: known[n]?.mode,
          pulseMs: known[n]?.pulseMs,
        }));
        return JSON.stringify({ ...message, outputs });
      },
    }),
  };
}

/** Nobody is asked whether an output may go off for a new mode. */
export function forcesChanges(): Sabotage {
  return {
    toGuard(line) {
      const request = JSON.parse(line);
      return request.type === 'configure' ? JSON.stringify({ ...request, force: true }) : line;
    },
  };
}

/** An output that is on gets another mode, and stays on. */
export function changesModesWhileOn(): Sabotage {
  let isApplying = false;
  return {
    inside() {
      const undo = [
        changed(OutputChanges.prototype, 'apply', (original) => {
          return async function forced(this: OutputChanges, changes, _force, refuseLate) {
            isApplying = true;
            await original.call(this, changes, true, refuseLate).finally(() => {
              isApplying = false;
            });
          };
        }),
        changed(RunningOutput.prototype, 'release', (original) => {
          return function unmoved(this: RunningOutput) {
            return isApplying ? Promise.resolve(true) : original.call(this);
          };
        }),
      ];
      return () => {
        for (const takeBack of undo) takeBack();
      };
    },
  };
}
