/** The label of one device: for the lid of its box, so the card can be distinguished from others and its PIN is at hand. */
import qrcode from 'qrcode-generator';

export interface LabelFacts {
  productLogin: string;
  /** For applications; null: not known here. */
  productKey: string | null;
  /** Of the console and the web page; null: none was made. */
  pin: string | null;
  server: string;
  /** Of the key that the device has made at its first start; null: it is not known yet. */
  fingerprint: string | null;
  /** Of the certificate of its page, as browsers show it: SHA-256. */
  webFingerprint: string | null;
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
/** For somebody to write upon, where "relaygate-flash label" does not. */
const NO_FINGERPRINT = 'fingerprint ____________________';
/** What browsers show in two rows of 16 bytes. */
const HALF_FINGERPRINT_CHARS = 48;
const WORDS = { key: 'key ', pin: 'PIN ', server: 'ws' } as const;

/** An SVG of 90 by 40 mm. The code holds the same lines as text. */
export function labelSvg(facts: LabelFacts): string {
  const lines = linesOf(facts);
  const text = [...lines, ...(facts.fingerprint === null ? [NO_FINGERPRINT] : [])].map((line, n) => {
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

/** What a label says, without what the device says by itself; null: it is none of ours. */
export function factsOnLabel(svg: string): Omit<LabelFacts, 'fingerprint' | 'webFingerprint'> | null {
  const [productLogin, ...lines] = [...svg.matchAll(/<text [^<>]*>([^<]*)<\/text>/g)].map(([, line = '']) =>
    readable(line),
  );
  const behind = (words: string): string | null =>
    lines.find((line) => line.startsWith(words))?.slice(words.length) ?? null;
  const server = lines.find((line) => line.startsWith(WORDS.server));
  if (productLogin === undefined || server === undefined) return null;
  return { productLogin, productKey: behind(WORDS.key), pin: behind(WORDS.pin), server };
}

function linesOf({ productLogin, productKey, pin, server, fingerprint, webFingerprint }: LabelFacts): string[] {
  return [
    productLogin,
    ...(productKey === null ? [] : [`${WORDS.key}${productKey}`]),
    ...(pin === null ? [] : [`${WORDS.pin}${pin}`]),
    server,
    ...(fingerprint === null ? [] : [`fingerprint ${fingerprint}`]),
    ...(webFingerprint === null
      ? []
      : [
          `page ${webFingerprint.slice(0, HALF_FINGERPRINT_CHARS)}`,
          `     ${webFingerprint.slice(HALF_FINGERPRINT_CHARS)}`,
        ]),
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

function readable(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
