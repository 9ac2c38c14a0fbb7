import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** As long as a technician's finger is wide, by WCAG 2.5.5. */
const TOUCH_PX = 44;
/** Ends once nothing fades or moves, except what does so for ever; fails after 5 s. A fade can start another one with the next frame. */
const UNTIL_STILL = `(async () => {
  const endMs = performance.now() + 5_000;
  for (;;) {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const moving = document.getAnimations().filter((one) =>
      one.playState === 'running' && Number.isFinite(one.effect?.getComputedTiming().endTime));
    if (moving.length === 0) return;
    if (performance.now() > endMs) throw new Error('still moves: ' + moving.map(({ effect }) => effect?.target?.outerHTML).join());
  }
})()`;

/** axe finds nothing, nothing sticks out at the side, and a thumb finds everything. */
export async function expectAccessible(page: Page, where: string): Promise<void> {
  await expectReadable(page, where);
  const small =
    await page.evaluate(`[...document.querySelectorAll('a, button, select, input:not([type=radio]), .choice')]
    .filter((one) => one.getClientRects().length > 0)
    .filter((one) => Math.min(one.offsetWidth, one.offsetHeight) < ${TOUCH_PX})
    .map((one) => one.outerHTML)`);
  expect({ where, small }).toEqual({ where, small: [] });
}

/** axe finds nothing, and nothing sticks out at the side; asked of a still page, for half-way through a fade no contrast is right. */
export async function expectReadable(page: Page, where: string): Promise<void> {
  await page.evaluate(UNTIL_STILL);
  await page.evaluate(`window.axe ? null : (() => { ${AXE} })()`);
  const violations = await page.evaluate(`axe.run(document).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`);
  const overhangPx = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect({ where, violations, overhangPx }).toEqual({ where, violations: [], overhangPx: 0 });
}
