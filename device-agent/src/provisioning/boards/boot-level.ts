/**
 * What the relays of a board do from the first moment of power until the guard drives them: the processor's own pulls
 * decide, for seconds. Source: BCM2835 ARM Peripherals, "Pull" in the table of alternative functions; RP1 is the same. The lines
 * of the UART have no level of their own: our image, and each Raspberry Pi with `enable_uart=1`, drives TXD high from the
 * firmware on, and what is plugged in drives RXD.
 */
import {
  type BoardSettings,
  type DeviceSettings,
  type GpioProfile,
  isOnHeader,
  type Level,
  UART_LINES,
} from '@relaygate/shared/device';
import { MAX_HEADER_BCM } from '@relaygate/shared/limits';
import { type FirmwareClosing, firmwareClosings } from './boot-config';
import type { Cure } from './cures';
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
  /** null: the UART has the line. */
  pull: Level | null;
  /** No level of the line is safe: only another line is a cure. */
  isUart: boolean;
  /** The pull, or the UART, energises the relay, or leaves it floating at the edge of it. */
  isRisky: boolean;
}

/** A board's relays by their lines at the header. */
type Wiring = Pick<GpioProfile, 'activeLevel'> & { relays: readonly { bcm: number }[] };

/** The BCM number of an output's line; null: it has none on the header. */
export function headerLineOf(board: BoardSettings, numOutput: number): number | null {
  if (!('lines' in board) || !isOnHeader(board)) return null;
  const line = board.lines[numOutput];
  return line === undefined || line > MAX_HEADER_BCM ? null : line;
}

/** The relays of a device that the firmware closes. `text`: that of BOARD_CONFIG_FILE. */
export function closingsOfDevice(
  text: string | null,
  { board, outputs }: Pick<DeviceSettings, 'board' | 'outputs'>,
): FirmwareClosing[] {
  return outputs.flatMap(({ activeLevel }, numOutput) => {
    const bcm = headerLineOf(board, numOutput);
    return bcm === null ? [] : firmwareClosings(text, { activeLevel, relays: [{ bcm }] });
  });
}

/** The level of each relay's line, in the order of the outputs. */
export function bootLevelsOf({ activeLevel, relays }: Wiring): BootLevel[] {
  return relays.map(({ bcm }) => {
    const isUart = UART_LINES.includes(bcm);
    const pull = isUart ? null : bcm <= LAST_PULLED_UP ? 'high' : 'low';
    return { bcm, pin: pinOf(bcm), pull, isUart, isRisky: isUart || pull === activeLevel };
  });
}

/** One for each relay at risk. */
export function curesOf(wiring: Wiring): Cure[] {
  const isActiveLow = wiring.activeLevel === 'low';
  return bootLevelsOf(wiring)
    .filter(({ isRisky }) => isRisky)
    .map(({ bcm, pin, isUart }) => ({
      bcm,
      configLine: isUart ? null : `gpio=${bcm}=op,${isActiveLow ? 'dh' : 'dl'}`,
      resistor:
        isUart || (!isActiveLow && FIXED_UP.includes(bcm))
          ? null
          : `${RESISTOR} from BCM ${bcm} (pin ${pin}) to ${isActiveLow ? '3.3 V' : 'GND'}`,
    }));
}
