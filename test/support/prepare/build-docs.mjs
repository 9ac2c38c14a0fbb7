// Builds what the server shows at /docs: server/page/dist. The reference is Swagger UI with a script of ours, the guide is
// server/GUIDE.md. Run by prepare.mjs; plain JavaScript.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { gzipSync } from 'node:zlib';

const SOURCES = 'server/page/src';
/** The title of the second one, and what stands below it, are for readers of the repository. */
const GUIDE = ['server/GUIDE.md', 'server/API.md'];
/** What is asked before a switch, which the tests of the server hold. */
const QUESTION = 'server/src/http/docs/switch-question.ts';
const SWAGGER = 'node_modules/swagger-ui-dist';
const OUTPUT = 'server/page/dist';
const BROWSERS = ['chrome100', 'firefox100', 'safari15.4'];

/** Resolves with whether anything was out of date. */
export async function buildDocs(root) {
  const [sources, output] = [join(root, SOURCES), join(root, OUTPUT)];
  const others = ['package-lock.json', 'test/support/prepare/build-docs.mjs', ...GUIDE, QUESTION];
  const newest = Math.max(...[...others.map((name) => join(root, name)), ...filesOf(sources)].map(changedMs));
  const pages = ['reference', 'guide'].map((name) => join(output, `${name}.html`));
  if (pages.every((file) => existsSync(file) && changedMs(file) >= newest)) return false;
  rmSync(output, { recursive: true, force: true });
  mkdirSync(join(output, 'assets'), { recursive: true });
  const swagger = (name) => writeAsset(output, name, readFileSync(join(root, SWAGGER, name)));
  const own = await bundled(sources);
  const ours = (name) => writeAsset(output, name, own.get(name));
  swagger('swagger-ui-bundle.js.LICENSE.txt');
  const style = ours('style.css');
  const template = readFileSync(join(sources, 'page.html'), 'utf8');
  const { contents, html } = await guideOf(GUIDE.map((name) => readFileSync(join(root, name), 'utf8')));
  const reference = {
    page: 'reference',
    title: 'API reference',
    // Ours comes later, because it changes the package's.
    styles: [swagger('swagger-ui.css'), style],
    scripts: [swagger('swagger-ui-bundle.js'), ours('reference.js')],
    content: '<div id="reference"></div>',
  };
  const guide = {
    page: 'guide',
    title: 'Guide',
    styles: [style],
    scripts: [ours('guide.js')],
    content: `${contents}<main id="content">${html}</main>`,
  };
  for (const page of [reference, guide]) writePacked(join(output, `${page.page}.html`), filled(template, page));
  return true;
}

/** Our scripts and styles, by their names. */
async function bundled(sources) {
  // Not there before npm has installed it.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: ['reference.ts', 'guide.ts', 'style/style.css'].map((name) => join(sources, name)),
    entryNames: '[name]',
    outdir: sources,
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    charset: 'utf8',
    target: BROWSERS,
    tsconfigRaw: '{}',
    logLevel: 'silent',
  });
  return new Map(outputFiles.map(({ path, contents }) => [parse(path).base, Buffer.from(contents)]));
}

/** The guide as HTML, and the list of its chapters. */
async function guideOf([guide, api]) {
  const { Marked, Renderer } = await import('marked');
  const chapters = [];
  const renderer = {
    heading(token) {
      const id = anchorOf(token.text);
      const text = this.parser.parseInline(token.tokens);
      if (token.depth === 2) chapters.push(`<li><a href="#${id}">${text}</a></li>`);
      return `<h${token.depth} id="${id}">${text}</h${token.depth}>\n`;
    },
    // A table or an example that is wider than a phone scrolls by itself; with the keyboard, too.
    table(token) {
      return `<div class="wide" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`;
    },
    // Other documents are not served; their chapters that are, stand in this page.
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const [, target] = /^(?:GUIDE\.md|API\.md)?(#.*)$/.exec(href) ?? [];
      return target ? `<a href="${target}">${text}</a>` : text;
    },
    html: () => '',
    code({ text, lang }) {
      return `<pre tabindex="0" data-language="${lang ?? ''}"><code>${escaped(text)}</code></pre>\n`;
    },
  };
  const html = new Marked({ renderer }).parse(`${guide}\n${api.slice(api.indexOf('\n## '))}`);
  return { html, contents: `<nav class="contents" aria-label="On this page"><ul>${chapters.join('')}</ul></nav>` };
}

/** As GitHub makes it of a heading. */
function anchorOf(heading) {
  const plain = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return plain.replaceAll(' ', '-');
}

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (character) => ESCAPES[character]);

function filled(template, { page, title, styles, scripts, content }) {
  const loaded = [
    ...styles.map((href) => `<link rel="stylesheet" href="${href}">`),
    ...scripts.map((src) => `<script src="${src}" defer></script>`),
  ];
  const parts = { page, title, head: loaded.join('\n    '), content };
  return template
    .replace(` data-page="${page}"`, ' aria-current="page"')
    .replaceAll(/<!-- @(\w+)@ -->|@(\w+)@/g, (_, whole, word) => parts[whole ?? word]);
}

/** Gives its address. The name changes with the content, so browsers may keep it. */
function writeAsset(output, name, content) {
  const { name: stem, ext } = parse(name);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const named = `assets/${stem}-${hash}${ext}`;
  writePacked(join(output, named), content);
  return `/docs/${named}`;
}

/** With its packed form beside it: 0.5 MB instead of 1.9. */
function writePacked(file, content) {
  writeFileSync(`${file}.gz`, gzipSync(content));
  writeFileSync(file, content);
}

const changedMs = (file) => statSync(file).mtimeMs;

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
