const SETTINGS = 'settings.json';
const NO_HOLDER = 'the kernel';

/** `by` is empty if the program gives the kernel no name. */
export type LineHolder = { line: number; by: string };

/** Why a board cannot be opened, as whole sentences. */
export const BOARD_REFUSALS = {
  // What is opened, at the beginning of a sentence.
  'gpio-chip': 'The GPIO chip "{label}" ({path})',
  'gpio-line': 'Line {line} of "{label}"',

  'no-gpio': `This kernel has no /dev/gpiochip*: the GPIO driver is not loaded, or on an old kernel set board.kind to "gpio-sysfs".`,
  'no-sysfs': `This kernel has no /sys/class/gpio: set board.kind in ${SETTINGS} to "gpio".`,
  'no-chip-of-header': ({ labels }: { labels: readonly string[] }) =>
    `No GPIO chip of a Raspberry Pi is here: set board.chip in ${SETTINGS} to the label of the one to use; ${chips(labels)}`,
  'no-chip-labelled': ({ label, labels }: { label: string; labels: readonly string[] }) =>
    `No GPIO chip is labelled "${label}": mend board.chip in ${SETTINGS}; ${chips(labels)}`,
  'no-sysfs-chip': 'No chip in {path} is labelled "{label}".',
  'chips-alike': '{count} GPIO chips are labelled "{label}", and nothing tells which is meant.',
  'chip-without-line': `The GPIO chip "{label}" has the lines 0 to {last}, and no {line}: mend board.lines in ${SETTINGS}.`,
  'chip-in-use': ({ label, holders }: { label: string; holders: readonly LineHolder[] }) =>
    `The GPIO chip "${label}" is in use: ${holders.map(({ line, by }) => `line ${line} by "${by || NO_HOLDER}"`).join(', ') || 'by a program that is gone by now'}. Stop that program, or choose other lines in ${SETTINGS}.`,
  'chip-without-edges':
    'The inputs of the GPIO chip "{label}" cannot say when they change ({code}): use a chip with interrupts.',
  'gpio-not-there': `{what} is not there ({code}): look at the board's cable and at "gpiodetect".`,
  'gpio-not-allowed': '{what} is not for this user ({code}): let the guard run in the group gpio, or as root.',
  'gpio-held': `{what} is held by another program; stop that, or choose other lines in ${SETTINGS}.`,
  'gpio-refused': `{what} is refused by this kernel ({code}): /dev/gpiochip* needs Linux 5.10 or newer; on an older one set board.kind in ${SETTINGS} to "gpio-sysfs".`,
  'gpio-unopened': '{what} cannot be opened: {problem}.',
  'line-of-guard': '{what} belongs to another relaygate-guard; stop that one first.',
  'line-exported': '{path} is there already: another program may use line {line}.',

  'onoff-missing':
    'board.kind "gpio-sysfs" needs the package onoff, which does not load ({problem}): install a compiler and run "npm rebuild epoll", or use board.kind "gpio".',
  'epoll-missing':
    'Inputs that are watched need the package epoll, which does not load ({problem}): install a compiler and run "npm rebuild epoll".',
  'serialport-missing': 'Serial ports need the package serialport, which does not load ({problem}): run "npm rebuild".',
} as const;

function chips(labels: readonly string[]): string {
  return labels.length === 0
    ? 'there are none at all.'
    : `there are ${labels.map((label) => `"${label}"`).join(', ')}.`;
}
