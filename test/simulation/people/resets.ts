/** Factory resets: who makes them, and whoever sets the device up anew behind one. */
import type { Device } from '../machines/device';
import { mayStop } from '../machines/guard-stop';
import type { Surroundings } from '../machines/surroundings';

/** Whoever was told nothing looks so long whether the device is wiped all the same. */
const MAY_BEGIN_WITHIN_MS = 15_000;
/** Until the device is off, and on again. */
const REBOOT_MS = 200;
const LOOK_MS = 200;

/** The operator takes the old key back; the code for the new one is on the card so long after it. */
type Revoke = (device: Device, newCodeAfterMs: number) => Promise<void>;

export class Resets {
  readonly #world: Surroundings;
  readonly #revoke: Revoke;
  #atWork = 0;

  constructor(world: Surroundings, revoke: Revoke) {
    this.#world = world;
    this.#revoke = revoke;
  }

  /** One may still come, or a device is to be set up behind one. */
  get isAtWork(): boolean {
    return this.#atWork > 0;
  }

  /** Resolves with the answer, once it is certain whether the device is wiped; null: nobody answered. */
  async make({ guard, agent, card }: Device, ask: () => Promise<string | null>): Promise<string | null> {
    const endSoon = mayStop(this.#world, guard.name, agent.life);
    return this.#working(async () => {
      const answer = await ask();
      endSoon();
      if (answer === null) await this.#passed(MAY_BEGIN_WITHIN_MS);
      // A mark that the disk does not take back: the next agent goes on.
      while (card.isReset) await this.#passed(LOOK_MS);
      return answer;
    });
  }

  /** From now on whoever wipes this device sets it up again; `work` is told of it. */
  watch(device: Device, work: (work: Promise<null>) => void): void {
    const chance = this.#world.chance.fork(`set up ${device.setup.name}`);
    let isWipedAgain = false;
    const setUp = async (): Promise<null> => {
      await this.#passed(chance.between(100, 2_500));
      await this.#putSettings(device);
      device.whenWiped = () => {
        isWipedAgain = true;
      };
      // Until then the server knows the old key.
      await this.#passed(chance.pick(0, chance.between(500, 2_500)));
      const codeAfterMs = chance.pick(0, chance.between(100, 3_000));
      await this.#revoke(device, codeAfterMs);
      await this.#passed(codeAfterMs);
      return null;
    };
    device.whenWiped = () => {
      // It wipes once more what a power cut has brought back.
      device.whenWiped = () => {};
      const again = (): void => {
        this.watch(device, work);
        if (isWipedAgain) device.whenWiped();
      };
      work(this.#working(setUp).finally(again));
    };
  }

  /** Behind a restart. */
  async #putSettings(device: Device): Promise<void> {
    const { scheduler, history } = this.#world;
    device.cutPower();
    await this.#passed(REBOOT_MS);
    device.powerOn();
    // A power cut may have brought the mark back: the next agent goes on.
    while (device.card.isReset || device.card.hasSettings) await this.#passed(LOOK_MS);
    device.card.setUp();
    const wiping = history.wipings.findLast(({ machine }) => machine === device.setup.name);
    if (wiping) wiping.setUpMs = scheduler.nowMs;
  }

  async #working<T>(work: () => Promise<T>): Promise<T> {
    this.#atWork += 1;
    try {
      return await work();
    } finally {
      this.#atWork -= 1;
    }
  }

  #passed(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#world.scheduler.in(ms, resolve));
  }
}
