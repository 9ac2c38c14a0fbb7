/** The outputs of the emulated board, and the pins that they hang on. */
import type { BoardSettings, Level, OutputSettings } from '@relaygate/shared/device';
import type { DeviceSetup } from '../machine/emulated-device';

export interface Line {
  /** BCM number. None of them has another function at boot. */
  readonly pin: number;
  readonly output: OutputSettings;
}

type Policies = Partial<OutputSettings>;
const onOff = (name: string, activeLevel: Level, policies: Policies = {}): OutputSettings => ({
  name,
  mode: 'on-off',
  pulseMs: 500,
  activeLevel,
  powerOn: 'off',
  ...policies,
});
const impulse = (name: string, activeLevel: Level, pulseMs: number, policies: Policies = {}): OutputSettings => ({
  name,
  mode: 'impulse',
  pulseMs,
  activeLevel,
  powerOn: 'off',
  ...policies,
});

export const LOSS_MS = 5_000;
const FEEDBACK_MS = 2_000;

/** Their place is the output's number. */
export const LINES: readonly Line[] = [
  { pin: 17, output: onOff('heating', 'high') },
  { pin: 27, output: onOff('light', 'low') },
  { pin: 22, output: impulse('gate', 'high', 500) },
  { pin: 23, output: impulse('door', 'low', 500) },
  // Long enough to kill something in the middle, on a slow machine too.
  { pin: 24, output: impulse('barrier', 'high', 5_000) },
  { pin: 25, output: impulse('shutter', 'low', 120_000) },
  { pin: 12, output: onOff('fan', 'low', { powerOn: 'on' }) },
  { pin: 16, output: onOff('pump', 'high', { powerOn: 'restore' }) },
  { pin: 5, output: onOff('up', 'high', { interlock: 'motor', interlockDelayMs: 700 }) },
  { pin: 6, output: onOff('down', 'low', { interlock: 'motor', interlockDelayMs: 100 }) },
  { pin: 13, output: onOff('lamp', 'low', { maxOnMs: 800 }) },
  { pin: 19, output: onOff('compressor', 'high', { minSwitchIntervalMs: 10_000 }) },
  { pin: 26, output: impulse('turnstile', 'low', 1_500, { retrigger: 'extend' }) },
  { pin: 20, output: onOff('siren', 'high', { onAgentLoss: 'off', agentLossMs: LOSS_MS }) },
  { pin: 21, output: onOff('beacon', 'low', { onLinkLoss: 'off', linkLossMs: LOSS_MS }) },
];
/** Outputs that an input shows, where inputs can be brought to a level. */
export const SHOWN_LINES: readonly Line[] = [
  { pin: 1, output: onOff('valve', 'high', { feedbackInput: 0, feedbackMs: FEEDBACK_MS }) },
  { pin: 2, output: onOff('damper', 'low', { feedbackInput: 1, feedbackActiveLevel: 'low', feedbackMs: FEEDBACK_MS }) },
];
/** The position is the input's number. Each is pulled to what means "off". */
export const INPUTS = [
  { line: 10, bias: 'pull-down' },
  { line: 11, bias: 'pull-up' },
] as const;
export const HEATING = 0;
export const GATE = 2;
export const DOOR = 3;
export const BARRIER = 4;
export const SHUTTER = 5;
export const FAN = 6;
export const PUMP = 7;
export const LAMP = 10;
export const SIREN = 13;
export const BEACON = 14;
export const VALVE = 15;
export const DAMPER = 16;

export const ALL_PINS = LINES.map(({ pin }) => pin);

export type GpioKind = Extract<BoardSettings['kind'], 'gpio' | 'gpio-sysfs'>;

export interface DriverUnderTest {
  readonly kind: GpioKind;
  /** Whether the kernel leaves a line driven when the guard is killed. */
  readonly staysDriven: boolean;
  /** Also what differs after a power cut, which no driver knows of. */
  readonly powerCuts?: boolean;
  /** The rest has been seen on another boot, and cannot differ. */
  readonly onlyKilledGuard?: boolean;
}

export function setupOf(kind: GpioKind): DeviceSetup {
  return { board: { kind, lines: ALL_PINS }, outputs: LINES.map(({ output }) => output) };
}

/** The same lines and two more on another chip, and inputs. `chip`: its label. */
export function setupWithInputs(chip: string): DeviceSetup {
  const all = [...LINES, ...SHOWN_LINES];
  const board: BoardSettings = { kind: 'gpio', chip, lines: all.map(({ pin }) => pin), inputs: [...INPUTS] };
  return { board, outputs: all.map(({ output }) => output) };
}

export function lineOf(numOutput: number): { pin: number; on: Level; off: Level; pulseMs: number } {
  const line = [...LINES, ...SHOWN_LINES][numOutput];
  if (line === undefined) throw new Error(`no output ${numOutput}`);
  const on = line.output.activeLevel;
  return { pin: line.pin, pulseMs: line.output.pulseMs, on, off: on === 'high' ? 'low' : 'high' };
}

export const INACTIVE = LINES.map((_line, numOutput) => lineOf(numOutput).off);
