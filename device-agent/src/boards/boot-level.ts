/**
 * What the relays of a board do from the first moment of power until the guard drives them: the processor's own pulls
 * decide, for seconds. Source: BCM2835 ARM Peripherals, "Pull" in the table of alternative functions; RP1 is the same.
 */
import type { GpioProfile, Level } from '@relaygate/shared/device';
import { pinOf } from './header-pins';

/** BCM 0 to 8 are pulled up at reset, 9 to 27 down. */
const LAST_PULLED_UP = 8;
/** With 1.8 kilohm to 3.3 V on the Raspberry Pi itself (I2C), which no resistor outside can overcome. */
const FIXED_UP: readonly number[] = [2, 3];
/** Against the 50 kilohm of the processor: 0.3 V of 3.3 V are left. */
export const RESISTOR = '4.7 kΩ';

export interface BootLevel {
  bcm: number;
  pin: number;
  pull: Level;
  /** The pull energises the relay, or leaves it floating at the edge of it. */
  isRisky: boolean;
}

export interface Cure {
  /** For config.txt: drives the line inactive some seconds after power comes, long before the guard. */
  configLine: string;
  /** Holds it from the first moment; null: none can, another pin must be used. */
  resistor: string | null;
}

/** By what a relay's line is at the header. */
type Wiring = Pick<GpioProfile, 'activeLevel'> & { relays: readonly { bcm: number }[] };

/** Of each relay, in the order of the outputs. */
export function bootLevelsOf({ activeLevel, relays }: Wiring): BootLevel[] {
  return relays.map(({ bcm }) => {
    const pull = bcm <= LAST_PULLED_UP ? 'high' : 'low';
    return { bcm, pin: pinOf(bcm), pull, isRisky: pull === activeLevel };
  });
}

/** One for each relay at risk. */
export function curesOf(wiring: Wiring): Cure[] {
  const isActiveLow = wiring.activeLevel === 'low';
  return bootLevelsOf(wiring)
    .filter(({ isRisky }) => isRisky)
    .map(({ bcm, pin }) => ({
      configLine: `gpio=${bcm}=op,${isActiveLow ? 'dh' : 'dl'}`,
      resistor:
        !isActiveLow && FIXED_UP.includes(bcm)
          ? null
          : `${RESISTOR} from BCM ${bcm} (pin ${pin}) to ${isActiveLow ? '3.3 V' : 'GND'}`,
    }));
}
