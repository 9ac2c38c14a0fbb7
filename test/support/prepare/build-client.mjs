// Bundles the client for those who import ES modules, after tsc has made its CommonJS files and types: one file, and types that are
// those of the others. Run by prepare.mjs; plain JavaScript.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'server/client';

/** Resolves with whether it was out of date. */
export async function buildClient(root) {
  const [sources, output] = ['src', 'dist'].map((name) => join(root, FOLDER, name));
  const bundle = join(output, 'index.mjs');
  const files = readdirSync(sources).map((name) => join(sources, name));
  const newestMs = Math.max(
    ...[...files, join(root, 'test/support/prepare/build-client.mjs')].map((file) => statSync(file).mtimeMs),
  );
  if (existsSync(bundle) && statSync(bundle).mtimeMs >= newestMs) return false;
  // Not there before npm has installed it.
  const { build } = await import('esbuild');
  const entryPoints = [join(sources, 'index.ts')];
  await build({ entryPoints, outfile: bundle, bundle: true, format: 'esm', target: 'es2022', logLevel: 'silent' });
  writeFileSync(join(output, 'index.d.mts'), "export * from './index.js';\n");
  return true;
}
