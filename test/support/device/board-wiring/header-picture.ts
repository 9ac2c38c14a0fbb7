/** The 40-pin header with the lines of a board marked, as SVG. */
import { type BootLevel, bootLevelsOf } from '@relaygate/device-agent/provisioning/boards/boot-level';
import { HEADER_PINS } from '@relaygate/device-agent/provisioning/boards/header-pins';
import { readBoardProfiles } from '@relaygate/device-agent/relayctl/board-profiles';
import type { GpioProfile } from '@relaygate/shared/device';

const MIN_WIDTH = 640;
const MARGIN = 12;
const TOP = 64;
const ROW = 24;
/** From the middle of the picture to the middle of a pin, and from there to its words. */
const PIN_OFFSET = 14;
const WORDS_OFFSET = 16;
const TITLE_SIZE = 16;
const TEXT_SIZE = 12;
/**
 * How wide a sign is at most, of its size: an SVG does not know the font that it is shown in. From DejaVu Sans Bold, which is
 * wider than most.
 */
const SIGN_SHARES: readonly [RegExp, number][] = [
  [/[ !'(),./:;I-]/, 0.46],
  [/[a-ln-vx-z0-9]/, 0.72],
];
const WIDEST_SIGN_SHARE = 1.11;
const HEIGHT = TOP + (HEADER_PINS.length / 2) * ROW + 12;
const COLOUR = {
  relay: '#1d4ed8',
  risky: '#b91c1c',
  '3V3': '#b45309',
  '5V': '#be123c',
  GND: '#111827',
  free: '#9ca3af',
};

interface Mark extends BootLevel {
  text: string;
}

interface PinRow {
  pin: number;
  words: string;
  colour: string;
  isMarked: boolean;
}

/** File name -> text, one picture a profile of a board on the header. */
export function wiringFiles(): Map<string, string> {
  const onHeader = readBoardProfiles().filter((profile) => profile.kind === 'gpio');
  return new Map(onHeader.map((profile) => [`${profile.name}.svg`, headerPicture(profile)]));
}

function headerPicture(profile: GpioProfile): string {
  const marks = new Map(
    bootLevelsOf(profile).map((level, numOutput): [number, Mark] => [
      level.pin,
      { ...level, text: `output ${numOutput}: ${profile.relays[numOutput]?.label ?? ''}` },
    ]),
  );
  const rows = HEADER_PINS.map((content, n) => rowOf(n + 1, content, marks.get(n + 1)));
  const reach = Math.max(...rows.map(({ words }) => widthOf(words, TEXT_SIZE))) + PIN_OFFSET + WORDS_OFFSET;
  const width = 2 * Math.ceil(Math.max(MIN_WIDTH / 2, reach + MARGIN, widthOf(profile.title, TITLE_SIZE) / 2 + MARGIN));
  const middle = width / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" font-family="sans-serif" font-size="${TEXT_SIZE}">`,
    `  <title>${escaped(profile.title)}: its lines on the 40-pin header</title>`,
    `  <rect width="${width}" height="${HEIGHT}" fill="#ffffff"/>`,
    `  <text x="${middle}" y="24" text-anchor="middle" font-size="${TITLE_SIZE}" font-weight="bold">${escaped(profile.title)}</text>`,
    `  <text x="${middle}" y="44" text-anchor="middle">pin 1 is at the top left, at the end of the header that is away from the USB sockets</text>`,
    ...rows.map((row) => drawnRow(row, middle)),
    '</svg>',
    '',
  ].join('\n');
}

function rowOf(pin: number, content: (typeof HEADER_PINS)[number], mark: Mark | undefined): PinRow {
  const name = typeof content === 'number' ? `BCM ${content}` : content;
  if (!mark)
    return { pin, words: name, colour: COLOUR[typeof content === 'number' ? 'free' : content], isMarked: false };
  const words = `${mark.text}, ${name}${mark.isRisky ? ', may close at power-on' : ''}`;
  return { pin, words, colour: mark.isRisky ? COLOUR.risky : COLOUR.relay, isMarked: true };
}

function drawnRow({ pin, words, colour, isMarked }: PinRow, middle: number): string {
  const isLeft = pin % 2 === 1;
  const x = isLeft ? middle - PIN_OFFSET : middle + PIN_OFFSET;
  const y = TOP + Math.floor((pin - 1) / 2) * ROW + ROW / 2;
  const label = [
    `x="${isLeft ? x - WORDS_OFFSET : x + WORDS_OFFSET}" y="${y + 4}" text-anchor="${isLeft ? 'end' : 'start'}"`,
    isMarked ? `fill="${colour}" font-weight="bold"` : 'fill="#6b7280"',
  ].join(' ');
  return [
    `  <circle cx="${x}" cy="${y}" r="10" fill="${colour}"/>`,
    `  <text x="${x}" y="${y + 4}" text-anchor="middle" font-size="10" fill="#ffffff">${pin}</text>`,
    `  <text ${label}>${escaped(words)}</text>`,
  ].join('\n');
}

/** Never too little, bold or not. */
function widthOf(words: string, size: number): number {
  const shares = [...words].map((sign) => SIGN_SHARES.find(([kind]) => kind.test(sign))?.[1] ?? WIDEST_SIGN_SHARE);
  return size * shares.reduce((sum, share) => sum + share, 0);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
