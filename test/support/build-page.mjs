// Bundles the technician's page, after tsc has checked it: device-agent/page/dist, which the agent serves as it is.
// Run by prepare.mjs; plain JavaScript.
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = 'device-agent/page/src';
const OUTPUT = 'device-agent/page/dist';
/** Browsers of phones that still get updates, and those of the Raspberry Pi. */
const BROWSERS = ['chrome100', 'firefox100', 'safari15.4'];

/** Resolves with whether anything was out of date. */
export async function buildPage(root) {
  const [sources, output] = [join(root, SOURCES), join(root, OUTPUT)];
  const manifest = join(root, 'package-lock.json');
  const newest = Math.max(...[manifest, ...filesOf(sources)].map(changedMs));
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
    legalComments: 'none',
    tsconfigRaw: '{}',
    logLevel: 'silent',
  });
  copyFileSync(join(sources, 'index.html'), join(output, 'index.html'));
  return true;
}

const changedMs = (file) => statSync(file).mtimeMs;

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
