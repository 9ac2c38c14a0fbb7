/** How soon a technician can use the page: in a browser on this machine, over TLS, with nothing kept from a visit before. */
import { existsSync } from 'node:fs';
import { CHROMIUM, NOTE_TYPEABLE, typeableMs, Visitors } from '../support/browser/browser';
import { DeviceWithPage } from '../support/browser/device-with-page';
import { median } from './distribution';
import type { Figure } from './figures';
import { MissingProgram } from './missing-program';

const VISITS = 15;
const QUICK_VISITS = 5;
const MAX_MS = 500;

/** Logs in by the page's own form; milliseconds from there until an output's button can be tapped. */
const UNTIL_BUTTONS = `new Promise((seen) => {
  const askedMs = performance.now();
  document.querySelector('[type=submit]').click();
  const look = () => document.querySelector('.moves .button:not([aria-disabled="true"])') === null
    ? requestAnimationFrame(look) : seen(performance.now() - askedMs);
  look();
})`;

export async function measurePage(quick: boolean, say: (line: string) => void): Promise<Figure[]> {
  if (!existsSync(CHROMIUM)) throw new MissingProgram(`${CHROMIUM} is missing (Debian package chromium)`);
  const visitors = await Visitors.arrive();
  const formsMs: number[] = [];
  const buttonsMs: number[] = [];
  try {
    const device = await DeviceWithPage.start();
    try {
      for (let left = quick ? QUICK_VISITS : VISITS; left > 0; left -= 1) {
        const page = await visitors.visit({ origin: device.origin, script: NOTE_TYPEABLE });
        formsMs.push(await typeableMs(page));
        await page.getByLabel('PIN').fill(device.pin);
        await page.getByLabel('Your name').fill('Paul');
        buttonsMs.push(await page.evaluate<number>(UNTIL_BUTTONS));
        await visitors.closePages();
      }
    } finally {
      await device.stop();
    }
  } finally {
    await visitors.leave();
  }
  for (const [what, seenMs] of [
    ['until the PIN can be typed', formsMs],
    ['from the PIN to the buttons', buttonsMs],
  ] as const) {
    say(`${what}: ${seenMs.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  }
  return [
    { name: 'page: asked for until the PIN can be typed, median', value: median(formsMs), unit: 'ms', atMost: MAX_MS },
    { name: 'page: the same, slowest', value: Math.max(...formsMs), unit: 'ms' },
    { name: 'page: PIN to the outputs’ buttons, median', value: median(buttonsMs), unit: 'ms', atMost: MAX_MS },
    { name: 'page: the same, slowest', value: Math.max(...buttonsMs), unit: 'ms' },
  ];
}
