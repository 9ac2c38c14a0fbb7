/** The outputs of the emulated board, and the pins that they hang on. */
import type { BoardSettings, Level, OutputSettings } from '@relaygate/shared';
import type { DeviceSetup } from '../machine/emulated-pi';

export interface Line {
  /** BCM number. None of them has another function or a pull-up at boot. */
  readonly pin: number;
  readonly output: OutputSettings;
}

const onOff = (name: string, activeLevel: Level, powerOn: OutputSettings['powerOn'] = 'off'): OutputSettings => ({
  name,
  mode: 'on-off',
  pulseMs: 500,
  activeLevel,
  powerOn,
});
const impulse = (name: string, activeLevel: Level, pulseMs: number): OutputSettings => ({
  name,
  mode: 'impulse',
  pulseMs,
  activeLevel,
  powerOn: 'off',
});

/** Their place is the output's number. */
export const LINES: readonly Line[] = [
  { pin: 17, output: onOff('heating', 'high') },
  { pin: 27, output: onOff('light', 'low') },
  { pin: 22, output: impulse('gate', 'high', 500) },
  { pin: 23, output: impulse('door', 'low', 500) },
  // Long enough to kill something in the middle, on a slow machine too.
  { pin: 24, output: impulse('barrier', 'high', 5_000) },
  { pin: 25, output: impulse('shutter', 'low', 120_000) },
  { pin: 12, output: onOff('fan', 'low', 'on') },
  { pin: 16, output: onOff('pump', 'high', 'restore') },
];
export const HEATING = 0;
export const GATE = 2;
export const DOOR = 3;
export const BARRIER = 4;
export const SHUTTER = 5;
export const FAN = 6;
export const PUMP = 7;

export const ALL_PINS = LINES.map(({ pin }) => pin);

export type GpioKind = Extract<BoardSettings['kind'], 'gpio' | 'gpio-sysfs'>;

export interface DriverUnderTest {
  readonly kind: GpioKind;
  /** Whether the kernel leaves a line driven when the guard is killed. */
  readonly staysDriven: boolean;
  /** The rest has been seen on another boot, and cannot differ. */
  readonly onlyKilledGuard?: boolean;
}

export function setupOf(kind: GpioKind): DeviceSetup {
  return { board: { kind, lines: ALL_PINS }, outputs: LINES.map(({ output }) => output) };
}

export function lineOf(numOutput: number): { pin: number; on: Level; off: Level; pulseMs: number } {
  const line = LINES[numOutput];
  if (line === undefined) throw new Error(`no output ${numOutput}`);
  const on = line.output.activeLevel;
  return { pin: line.pin, pulseMs: line.output.pulseMs, on, off: on === 'high' ? 'low' : 'high' };
}

export const INACTIVE = LINES.map((_line, numOutput) => lineOf(numOutput).off);
