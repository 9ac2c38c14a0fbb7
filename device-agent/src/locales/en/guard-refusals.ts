/** What the guard refuses; it sends the codes only. */
export const GUARD_REFUSALS = {
  'no-such-output': ({ numOutput, count }: { numOutput: number; count: number }) =>
    `There is no output ${numOutput}; this device has 0 to ${count - 1}.`,
  'too-late-for-guard': 'This came too late to the guard and was not begun. Try again.',
  'output-busy':
    'Output {numOutput} is active or busy, so its mode, polarity and interlock stay; switch it off first or use --force.',
  'state-unsaved': 'Output {numOutput} stays as it is: its state cannot be saved.',
  'output-stays-on': 'Output {numOutput} cannot be switched off.',
} as const;
