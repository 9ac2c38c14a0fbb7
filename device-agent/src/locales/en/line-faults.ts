/** Faults of the board and of what hangs on its lines. */
export const LINE_FAULTS = {
  'output-stuck': 'Output {numOutput} ({name}) cannot be switched off ({problem}); it is tried again.',
  'output-not-asked': 'Output {numOutput} ({name}) could not be asked how it is ({problem}).',
  'output-unproven': 'Output {numOutput} ({name}) was switched, and its feedback input does not show it.',
  'interlock-alone': 'Output {numOutput} ({name}) is alone in its interlock "{interlock}".',
  'interlock-unread':
    'Output {numOutput} ({name}) cannot be read back, so no other output of its interlock "{interlock}" goes on: use a board that answers, or take the interlock away.',
  'input-flapping':
    'Input {numInput} ({name}) changes all the time, so nobody knows what it shows: look at its wiring.',
  'input-unread': 'Input {numInput} ({name}) cannot be read; it is tried again.',
  'button-stuck': 'Button {numInput} ({name}) has been pressed for too long: it moves nothing until it was released.',
  'tamper-open': 'Tamper contact {numInput} ({name}) is open.',
  'board-away': 'The relay board is away: {problem}.',
} as const;
