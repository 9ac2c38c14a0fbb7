/** Applications that toggle the devices of a cluster all the time, and what they may be told. */
import { expect } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { Edge } from '../../support/device/edge-log';
import type { RunningCluster } from '../../support/processes/running-cluster';
import type { Answer, Generation } from '../../support/server/api-client';
import { pause } from '../../support/time/waiting';

export const OUTPUT = 0;
/** Of each device: 50 commands a second in all. */
const TOGGLE_EVERY_MS = 600;
const BEFORE_MS = 2_000;

export interface Toggling {
  readonly cluster: RunningCluster;
  readonly token: string;
}

/** What applications were told, and what a relay did, while something went wrong. */
export interface Told {
  readonly productLogin: string;
  done: number;
  /** When the last one of them was asked for. */
  doneAskedMs: number;
  /** 504, or no answer: it may have moved. */
  maybe: number;
  /** Of those, the 504s: their command's id, or null for one that was never recorded. */
  readonly unanswered: (string | null)[];
  readonly refused: Answer[];
  /** Of the slowest. */
  refusedMs: number;
  /** Ids of what was confirmed. */
  readonly confirmed: string[];
  edges: number;
}

/** Of the output that is toggled. */
export function switchedBy(cluster: RunningCluster, productLogin: string): Edge[] {
  return cluster.edges(productLogin).filter(({ output }) => output === OUTPUT);
}

/** Whether each device has done something that was asked for later than that. */
export function areServedSince(told: readonly Told[], atMs: number): boolean {
  return told.every(({ doneAskedMs }) => doneAskedMs > atMs);
}

/** Toggles every device again and again through one of these servers, from before `body`, which sees the counts, until after it. */
export async function toggledWhile(
  { cluster, token }: Toggling,
  servers: readonly Generation[],
  body: (told: readonly Told[]) => Promise<void>,
): Promise<Told[]> {
  const edgesOf = (login: string): number => switchedBy(cluster, login).length;
  let isOver = false;
  const all = cluster.logins.map(
    (productLogin): Told => ({
      productLogin,
      done: 0,
      doneAskedMs: 0,
      maybe: 0,
      unanswered: [],
      refused: [],
      refusedMs: 0,
      confirmed: [],
      edges: -edgesOf(productLogin),
    }),
  );
  const toggling = all.map(async (told, n): Promise<void> => {
    const { productLogin } = told;
    const server = servers[n % servers.length] ?? cluster.balancer;
    while (!isOver) {
      const askedMs = monotonicNowMs();
      const answer = await server.toggle(productLogin, OUTPUT, { token }).catch(() => undefined);
      const commandId = answer?.headers.get('command-id') ?? null;
      if (answer?.status === 200) {
        told.done += 1;
        told.doneAskedMs = askedMs;
        told.confirmed.push(commandId ?? '');
      } else if (answer === undefined || answer.status === 504) told.maybe += 1;
      else {
        told.refused.push(answer);
        told.refusedMs = Math.max(told.refusedMs, monotonicNowMs() - askedMs);
      }
      if (answer?.status === 504) told.unanswered.push(commandId);
      await pause(TOGGLE_EVERY_MS);
    }
  });
  await pause(BEFORE_MS);
  await body(all).finally(() => {
    isOver = true;
  });
  await Promise.all(toggling);
  for (const one of all) one.edges += edgesOf(one.productLogin);
  return all;
}

/** Toggles a device without a pause, one command after the other. */
export function crowdAt(
  token: string,
  server: Generation,
  productLogin: string,
): { readonly served: number; leaves(): Promise<void> } {
  const crowd = { served: 0, isOver: false };
  const toggling = (async () => {
    while (!crowd.isOver) {
      const answer = await server.toggle(productLogin, OUTPUT, { token }).catch(() => undefined);
      if (answer?.status === 200) crowd.served += 1;
    }
  })();
  return {
    get served() {
      return crowd.served;
    },
    leaves() {
      crowd.isOver = true;
      return toggling;
    },
  };
}

/** Each 200 is an edge, and there is no edge that nobody asked for. */
export function expectSure(told: readonly Told[]): void {
  for (const { productLogin, done, maybe, edges } of told) {
    expect({ productLogin, isSure: edges >= done && edges <= done + maybe, done, maybe, edges }).toMatchObject({
      isSure: true,
    });
    expect(done).toBeGreaterThan(0);
  }
}

/**
 * 409 while a command has the output's slot, also one that a killed server had sent. A database that a busy machine holds up for a
 * second is a 500; then nothing has moved.
 */
export function expectFewRefused(told: readonly Told[]): void {
  const refused = told.flatMap((one) => one.refused).filter(({ status }) => status !== 409);
  expect(refused.filter(({ status }) => status !== 500).map(({ status, text }) => ({ status, text }))).toEqual([]);
  const done = told.reduce((sum, one) => sum + one.done, 0);
  const texts = refused.map(({ text }) => text);
  expect({ isFew: refused.length < done / 50, done, texts }).toMatchObject({ isFew: true });
}
