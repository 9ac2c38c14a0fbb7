/** The label of one device: for the lid of its box, so the card can be told from others and its PIN is at hand. */
import qrcode from 'qrcode-generator';

export interface LabelFacts {
  productLogin: string;
  /** For applications; null: not known here. */
  productKey: string | null;
  /** Of the console and the web page; null: none was made. */
  pin: string | null;
  server: string;
}

const WIDTH_MM = 90;
const HEIGHT_MM = 40;
const MARGIN_MM = 4;
const QR_MM = HEIGHT_MM - 2 * MARGIN_MM;
const TEXT_AT_MM = MARGIN_MM + QR_MM + 4;
const LINE_MM = 5;
const TEXT_MM = WIDTH_MM - MARGIN_MM - TEXT_AT_MM;
const TITLE_SIZE_MM = 3.6;
const TEXT_SIZE_MM = 2.4;
/** How wide a sign of a monospaced font is, of its size. */
const SIGN_SHARE = 0.62;
/** Made by the device at its first start: "relayctl identity" shows it, and somebody writes it here. */
const FINGERPRINT = 'fingerprint ____________________';

/** An SVG of 90 by 40 mm. The code holds the same lines as text. */
export function labelSvg(facts: LabelFacts): string {
  const lines = linesOf(facts);
  const text = [...lines, FINGERPRINT].map((line, n) => {
    const at = `x="${TEXT_AT_MM}" y="${MARGIN_MM + 4 + n * LINE_MM}"`;
    return `  <text ${at} font-family="monospace" font-size="${sizeOf(line, n === 0 ? TITLE_SIZE_MM : TEXT_SIZE_MM)}">${escaped(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_MM}mm" height="${HEIGHT_MM}mm" viewBox="0 0 ${WIDTH_MM} ${HEIGHT_MM}">`,
    `  <title>${escaped(facts.productLogin)}</title>`,
    `  <rect width="${WIDTH_MM}" height="${HEIGHT_MM}" fill="#fff"/>`,
    `  <path d="${qrPath(lines.join('\n'))}" fill="#000"/>`,
    ...text,
    '</svg>',
    '',
  ].join('\n');
}

function linesOf({ productLogin, productKey, pin, server }: LabelFacts): string[] {
  return [
    productLogin,
    ...(productKey === null ? [] : [`key ${productKey}`]),
    ...(pin === null ? [] : [`PIN ${pin}`]),
    server,
  ];
}

/** A long line is written smaller. */
function sizeOf(line: string, mostMm: number): string {
  return Math.min(mostMm, TEXT_MM / (line.length * SIGN_SHARE)).toFixed(2);
}

/** Its dark squares, each a step of a path in millimetres. */
function qrPath(text: string): string {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const size = QR_MM / count;
  const at = (index: number): string => (MARGIN_MM + index * size).toFixed(3);
  const side = size.toFixed(3);
  const squares: string[] = [];
  for (let row = 0; row < count; row += 1)
    for (let column = 0; column < count; column += 1)
      if (code.isDark(row, column)) squares.push(`M${at(column)} ${at(row)}h${side}v${side}h-${side}z`);
  return squares.join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
