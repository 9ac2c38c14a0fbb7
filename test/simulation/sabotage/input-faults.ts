/** Deliberate faults of a guard with buttons, and of what is shown of contacts. */
import * as buttons from '@relaygate/device-agent/guard/inputs/button';
import type { InputEdge } from '@relaygate/device-agent/relay/relay-driver';
import { oppositeLevel } from '@relaygate/device-agent/runtime/opposite-level';
import { changed } from './changed';
import type { Sabotage } from './sabotage';

/** An edge that comes later than this came to a guard that had been held up. */
const HELD_UP_MS = 50;

/** A button that is pressed when the guard first looks at it has been pressed. */
export function countsAtStart(): Sabotage {
  return {
    inside: () =>
      changed(buttons, 'stepButton', (original) => (button, event) => {
        if (event.kind !== 'pressed' || button.phase !== 'unknown') return original(button, event);
        return original({ ...button, phase: 'released' }, { ...event, isFirst: false });
      }),
  };
}

/** A guard that was held up hears of the last press once more, as one of now. */
export function replaysEdges(): Sabotage {
  return {
    driver: (driver, { clock }, { scheduler }) => ({
      ...driver,
      open: (listener) =>
        driver.open({
          ...listener,
          edges(edges) {
            listener.edges?.(edges);
            const nowMs = clock.localMs(scheduler.nowMs);
            const last = edges.at(-1);
            if (last && nowMs - last.atMs > HELD_UP_MS)
              scheduler.in(HELD_UP_MS, () => listener.edges?.(again(last, nowMs)));
          },
        }),
    }),
  };
}

/** Presses are never too old. */
export function forgetsAges(): Sabotage {
  return {
    inside: () =>
      changed(
        buttons,
        'stepButton',
        (original) => (button, event) =>
          original(button, event.kind === 'pressed' ? { ...event, nowMs: event.atMs } : event),
      ),
  };
}

/** The times of edges are those of the wall clock, which jumps. */
export function debouncesByWallClock(): Sabotage {
  return {
    driver: (driver, _device, { history }) => ({
      ...driver,
      open: (listener) =>
        driver.open({
          ...listener,
          edges(edges) {
            const aheadMs = history.wallJumps.at(-1)?.jumpedMs ?? 0;
            listener.edges?.(edges.map((edge) => ({ ...edge, atMs: edge.atMs + aheadMs })));
          },
        }),
    }),
  };
}

/** Without a link, what was reported last is shown as what was reported just now. */
export function showsInputsAsLive(): Sabotage {
  return {
    actions: (actions, { server }) => ({
      ...actions,
      async productState(clientId, productLogin) {
        const state = await actions.productState(clientId, productLogin);
        if (state.connected) return state;
        const observedAt = new Date(server.epochMs()).toISOString();
        return { ...state, inputs: state.inputs.map((input) => ({ ...input, observedAt })) };
      },
    }),
  };
}

function again(edge: InputEdge, nowMs: number): InputEdge[] {
  return [
    { ...edge, level: oppositeLevel(edge.level), atMs: nowMs - 2 * HELD_UP_MS },
    { ...edge, atMs: nowMs },
  ];
}
