import { expect } from '@jest/globals';
import type { Proof } from '@relaygate/device-agent/agent/proof/proof-file';
import type { ProofReply } from '@relaygate/device-agent/agent/technician/local-messages/proof';
import { scryptPin } from '@relaygate/device-agent/platform/scrypt-pin';
import type { HistoryChange, HistoryEntry } from '@relaygate/shared';
import type { DeviceSettings } from '@relaygate/shared/device';
import { Acknowledged, type Both, nextOf } from './acknowledged';
import type { CardDevice } from './card-device';

export const DEED_KINDS = ['output', 'pin', 'lock', 'proof', 'set'] as const;
export type DeedKind = (typeof DEED_KINDS)[number];

/** Its pulse duration is changed. */
const CHANGED = 3;
const LOCKED = [1, 2] as const;
const SWITCHED = 0;
const ACTOR = 'relayctl as test';
const FIRST_PULSE_MS = 500;
const LOCK_MS = 3_600_000;
/** Nobody knows it: its answer was lost with the power. */
const LOST_PIN = 'lost';

interface PinOnCard {
  id: string;
  salt: string;
  hash: string;
}

/** What somebody does at a device, again and again, and what of it was confirmed. */
export class Deeds {
  readonly #device: CardDevice;
  readonly #pulseMs = new Acknowledged(FIRST_PULSE_MS);
  readonly #pin = new Acknowledged<string | null>(null);
  readonly #areLocked = new Acknowledged<Both>([false, false]);
  readonly #provenBy = new Acknowledged<string | null>(null);
  /** Of each kind: how many were confirmed, and how many were asked for. */
  readonly #counts = new Map(DEED_KINDS.map((kind) => [kind, { confirmed: 0, asked: 0 }]));
  #turn = 0;
  #isOver = false;

  constructor(device: CardDevice) {
    this.#device = device;
  }

  /** What is confirmed from here on came too late to count: the power is about to go. */
  end(): void {
    this.#isOver = true;
  }

  /** No proof is recorded of relays that have not clicked. */
  async clickAll(): Promise<void> {
    const { names } = (await this.#ask('proof', {})) as ProofReply;
    for (const numOutput of names.keys()) await this.#change('click', { numOutput, actor: ACTOR });
  }

  /** Resolves when it is confirmed; rejects when it is not, or not in time. */
  async do(kind: DeedKind): Promise<void> {
    const count = this.#counts.get(kind);
    if (!count) throw new Error(`no such deed: ${kind}`);
    this.#turn += 1;
    count.asked += 1;
    await this.#do(kind, this.#turn);
    count.confirmed += 1;
  }

  async #do(kind: DeedKind, turn: number): Promise<void> {
    switch (kind) {
      case 'output': {
        const change = { pulseMs: 1_000 + turn };
        const body = { numOutput: CHANGED, change, force: false, actor: ACTOR };
        return this.#pulseMs.write(change.pulseMs, async () => void (await this.#change('output', body)));
      }
      case 'pin': {
        let pin = LOST_PIN;
        await this.#pin.write(LOST_PIN, async () => {
          ({ pin } = (await this.#change('new-pin', { actor: ACTOR })) as { pin: string });
        });
        return this.#pin.write(pin, async () => {});
      }
      case 'lock': {
        const { which, isOn, both } = nextOf(this.#areLocked.possible[0]);
        const [type, more] = isOn ? ['lock', { forMs: LOCK_MS }] : ['unlock', {}];
        const body = { numOutput: LOCKED[which], actor: ACTOR, ...more };
        return this.#areLocked.write(both, async () => void (await this.#change(type, body)));
      }
      case 'proof': {
        const { wiring } = (await this.#ask('proof', {})) as ProofReply;
        const answers = wiring.activeLevels.map((_, numOutput) => ({ relay: numOutput + 1, isOn: false }));
        const by = `technician ${turn}`;
        const body = { by, wiring, answers, actor: ACTOR };
        return this.#provenBy.write(by, async () => void (await this.#change('prove', body)));
      }
      case 'set':
        return void (await this.#change('set', { numOutput: SWITCHED, state: turn % 2 === 0 ? 0 : 1, actor: ACTOR }));
      default:
        kind satisfies never;
    }
  }

  async #ask(type: string, body: object): Promise<unknown> {
    return this.#inTime(await this.#device.ask(type, body));
  }

  async #change(type: string, body: object): Promise<unknown> {
    return this.#inTime(await this.#device.change(type, body));
  }

  #inTime(reply: unknown): unknown {
    if (this.#isOver) throw new Error('confirmed too late');
    return reply;
  }

  /** I5, I8: what the files hold is the old or the new, whole, and at least as new as what was confirmed. */
  async expectFiles(): Promise<void> {
    expect(this.#pulseMs.possible).toContain(this.#pulseOnCard());
    expect(this.#areLocked.possible).toContainEqual(this.#locksOnCard());
    const proof = this.#device.json('proof.json') as Proof | null;
    expect(this.#provenBy.possible).toContain(proof?.by ?? null);
    const pin = this.#pinOnCard();
    const fits = await Promise.all(this.#pin.possible.map((possible) => isPin(possible, pin)));
    expect(fits).toContain(true);
  }

  /** What was confirmed is in the history once; what was not confirmed, at most once. */
  expectHistory(entries: readonly HistoryEntry[]): void {
    const own = entries.filter(({ actor }) => actor === ACTOR);
    const many = (isIt: (entry: HistoryEntry) => boolean): number => own.filter(isIt).length;
    const found: Record<DeedKind, number> = {
      output: many(({ kind }) => kind === 'output'),
      pin: many(({ kind }) => kind === 'pin'),
      lock: many(({ kind }) => kind === 'lock' || kind === 'unlock'),
      proof: many(({ kind }) => kind === 'proof'),
      set: many(({ kind }) => kind === 'set-on' || kind === 'set-off'),
    };
    for (const [kind, count] of Object.entries(found)) {
      const { confirmed, asked } = this.#counts.get(kind as DeedKind) ?? { confirmed: 0, asked: 0 };
      expect({ kind, count }).toEqual({ kind, count: Math.min(Math.max(count, confirmed), asked) });
    }
    // No two deeds have the same values, so no two entries have.
    const values = own.flatMap(({ changes }) => changes.map(({ member, to }) => `${member} ${to}`));
    expect(new Set(values).size).toBe(values.length);
    expect(entries.map(({ actor }) => actor)).not.toContain('by hand');
    // What the entries add up to is what the file holds.
    const changes = entries.flatMap((entry): HistoryChange[] => entry.changes);
    const last = changes.findLast(({ member }) => member === `outputs.${CHANGED}.pulseMs`);
    expect(last?.to ?? FIRST_PULSE_MS).toBe(this.#pulseOnCard());
    const pinId = changes.findLast(({ member }) => member === 'pin.id')?.to ?? null;
    expect(pinId).toBe(this.#pinOnCard()?.id ?? null);
    const standing = entries.filter(
      ({ seq }) => !entries.some(({ kind, about }) => kind === 'not-in-file' && about === seq),
    );
    const lastOf = (output: number): string | undefined =>
      standing.findLast(({ kind, numOutput }) => (kind === 'lock' || kind === 'unlock') && numOutput === output)?.kind;
    expect(LOCKED.map((numOutput) => lastOf(numOutput) === 'lock')).toEqual(this.#locksOnCard());
  }

  #locksOnCard(): boolean[] {
    const { locks } = (this.#device.json('locks.json') ?? { locks: [] }) as { locks: { numOutput: number }[] };
    return LOCKED.map((locked) => locks.some(({ numOutput }) => numOutput === locked));
  }

  #pulseOnCard(): number | undefined {
    const { outputs } = this.#device.json('settings.json') as DeviceSettings;
    return outputs[CHANGED]?.pulseMs;
  }

  #pinOnCard(): PinOnCard | null {
    return this.#device.json('pin.json') as PinOnCard | null;
  }
}

/** `pin` null: there is none. */
async function isPin(pin: string | null, kept: PinOnCard | null): Promise<boolean> {
  if (pin === null || kept === null) return pin === kept;
  if (pin === LOST_PIN) return /^[\w-]{43}$/.test(kept.hash);
  const hash = await scryptPin(pin, Buffer.from(kept.salt, 'base64url'));
  return Buffer.from(hash).toString('base64url') === kept.hash;
}
