/** The wiring pictures in Debian's usual font, one of the widest: what is outside of a picture nobody reads. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';
import { CHROMIUM, FLAGS } from '../support/browser/browser';
import { missingBrowser } from '../support/browser/missing-browser';
import { wiringFiles } from '../support/device/board-wiring/header-picture';
import { describeWhere } from '../support/processes/needs';

/** Runs in the page: the lines that leave the picture. */
const CLIPPED = `(() => {
  const box = document.documentElement.getBoundingClientRect();
  const room = 4;
  return [...document.querySelectorAll('text')]
    .map((text) => ({ words: text.textContent, at: text.getBoundingClientRect() }))
    .filter(({ at }) => at.left < box.left + room || at.right > box.right - room || at.bottom > box.bottom)
    .map(({ words }) => words);
})()`;

/** How wide a bold W is, of its size: 1.10 in DejaVu Sans, less in what a browser takes where that font is missing. */
const WIDTH_OF_W = `(() => {
  const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
  text.textContent = 'W';
  text.setAttribute('font-weight', 'bold');
  text.setAttribute('font-size', '100');
  document.documentElement.append(text);
  const width = text.getComputedTextLength();
  text.remove();
  return width;
})()`;

let browser: Browser;

describeWhere(missingBrowser())('a wiring picture', () => {
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  });
  afterAll(() => browser?.close());

  test.each([...wiringFiles()])('shows every line whole: %s', async (_name, picture) => {
    const page = await browser.newPage();
    const inFont = picture.replace('font-family="sans-serif"', 'font-family="DejaVu Sans"');
    await page.goto(`data:image/svg+xml;base64,${Buffer.from(inFont).toString('base64')}`);
    expect(await page.evaluate(WIDTH_OF_W)).toBeCloseTo(110.3, 0);
    expect(await page.evaluate(CLIPPED)).toEqual([]);
    await page.close();
  });
});
