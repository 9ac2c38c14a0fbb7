// Bundles the technician's page, after tsc has checked it: device-agent/page/dist, which the agent serves as it is.
// Run by prepare.mjs; plain JavaScript.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = 'device-agent/page/src';
/** What the page says lies beside what console and doctor say. */
const LOCALES = 'device-agent/src/locales';
/** The proof is the same dialogue on the page, at the console and in relayctl. */
const PROOF = 'device-agent/src/proof';
const DURATION = 'device-agent/src/runtime/duration.ts';
const OUTPUT = 'device-agent/page/dist';
/** Browsers of phones that still get updates, and those of the Raspberry Pi. */
const BROWSERS = ['chrome100', 'firefox100', 'safari15.4'];

/**
 * Members of the page's own that get a name of one or two letters: 2 KB less. None that an answer of the agent or a browser
 * has, and none that is looked up by a computed name.
 */
const OWN_NAMES = `
  action afterBoot again againWithin already answer armed asWritten byNobody chipDown chipUp clickAgain clicking closedHelp
  closesIn closesSoon codeWaits commands corrected counts decimal diagnosis doctor downMeans endedByBoard endPulse endPulseMeans
  enrolment enterIn entering failed fieldHints forSoLong guardAway guardAwayHelp guardIsAway guardRuns hint icon inForce
  inputStates isBusy isLost isOut isSubmit isWell lampOff lampOn lead loading locked lockedFor lockFor lockMeans lockNow login
  lostFor lostHelp lostSinceMs members moves nameHint navigation noAnswer noCode noCommands noFaults noHistory noRelay
  nothingChanged notProven older onCancel onceMore onClose onConfirmed onEnd onLanguage onLeave onLeft onOver onSession onText
  onTry otherLanguage outcomes past prove provenBy pulseLeft record refresh restart review runAgain running sawNone session
  statusAtMs step switchOff switchOn testPulse timeoutMs tryAgain unlocked unreachable unreachableHelp upMeans verdicts views
  warning willClick working
`
  .trim()
  .split(/\s+/);

/** Resolves with whether anything was out of date. */
export async function buildPage(root) {
  const [sources, output] = [join(root, SOURCES), join(root, OUTPUT)];
  const inputs = ['package-lock.json', 'test/support/prepare/build-page.mjs', DURATION].map((name) => join(root, name));
  const files = [...inputs, ...filesOf(sources), ...[LOCALES, PROOF].flatMap((name) => filesOf(join(root, name)))];
  const newest = Math.max(...files.map(changedMs));
  const built = ['index.html', 'app.js', 'style.css'].map((name) => join(output, name));
  if (built.every((file) => existsSync(file) && changedMs(file) >= newest)) return false;
  mkdirSync(output, { recursive: true });
  // Not there before npm has installed it.
  const { build } = await import('esbuild');
  await build({
    entryPoints: { app: join(sources, 'main.tsx'), style: join(sources, 'style/style.css') },
    outdir: output,
    bundle: true,
    minify: true,
    format: 'iife',
    charset: 'utf8',
    target: BROWSERS,
    // Shorter by 3 KB than what `jsx: 'automatic'` makes of it.
    jsx: 'transform',
    jsxFactory: 'h',
    jsxFragment: 'Fragment',
    inject: [join(sources, 'jsx.ts')],
    mangleProps: new RegExp(`^(${OWN_NAMES.join('|')})$`),
    legalComments: 'none',
    tsconfigRaw: '{}',
    logLevel: 'silent',
  });
  const style = join(output, 'style.css');
  writeFileSync(style, withShortNames(readFileSync(style, 'utf8')));
  copyFileSync(join(sources, 'index.html'), join(output, 'index.html'));
  return true;
}

/** The colours' names (`--good-ground`) in one letter, which esbuild leaves as they are: 0.5 KB less. */
function withShortNames(style) {
  const names = [...new Set(style.match(/--[a-z-]+/g))];
  if (names.length > 26) throw new Error('the page has more than 26 custom properties: name them by two letters');
  return style.replaceAll(/(--[a-z-]+)(: )?/g, (_, name, sets) => {
    return `--${String.fromCharCode(97 + names.indexOf(name))}${sets ? ':' : ''}`;
  });
}

const changedMs = (file) => statSync(file).mtimeMs;

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
