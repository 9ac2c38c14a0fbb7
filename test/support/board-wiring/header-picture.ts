/** The 40-pin header with the lines of a board marked, as SVG. */
import { type BootLevel, bootLevelsOf } from '@relaygate/device-agent/boards/boot-level';
import { HEADER_PINS } from '@relaygate/device-agent/boards/header-pins';
import { readBoardProfiles } from '@relaygate/device-agent/cli/board-profiles';
import type { GpioProfile } from '@relaygate/shared';

const WIDTH = 640;
const TOP = 64;
const ROW = 24;
const COLUMNS = [WIDTH / 2 - 14, WIDTH / 2 + 14] as const;
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
  const pins = HEADER_PINS.map((content, n) => pinAt(n + 1, content, marks.get(n + 1)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `  <title>${escaped(profile.title)}: its lines on the 40-pin header</title>`,
    `  <rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `  <text x="${WIDTH / 2}" y="24" text-anchor="middle" font-size="16" font-weight="bold">${escaped(profile.title)}</text>`,
    `  <text x="${WIDTH / 2}" y="44" text-anchor="middle">pin 1 is at the top left, at the end of the header that is away from the USB sockets</text>`,
    ...pins,
    '</svg>',
    '',
  ].join('\n');
}

function pinAt(pin: number, content: (typeof HEADER_PINS)[number], mark: Mark | undefined): string {
  const isLeft = pin % 2 === 1;
  const x = COLUMNS[isLeft ? 0 : 1];
  const y = TOP + Math.floor((pin - 1) / 2) * ROW + ROW / 2;
  const colour = mark
    ? mark.isRisky
      ? COLOUR.risky
      : COLOUR.relay
    : COLOUR[typeof content === 'number' ? 'free' : content];
  const name = typeof content === 'number' ? `BCM ${content}` : content;
  const words = mark ? `${mark.text}, ${name}${mark.isRisky ? ', may close at power-on' : ''}` : name;
  const label = [
    `x="${isLeft ? x - 16 : x + 16}" y="${y + 4}" text-anchor="${isLeft ? 'end' : 'start'}"`,
    mark ? `fill="${colour}" font-weight="bold"` : 'fill="#6b7280"',
  ].join(' ');
  return [
    `  <circle cx="${x}" cy="${y}" r="10" fill="${colour}"/>`,
    `  <text x="${x}" y="${y + 4}" text-anchor="middle" font-size="10" fill="#ffffff">${pin}</text>`,
    `  <text ${label}>${escaped(words)}</text>`,
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
