/** Every view in both languages and both themes, on a phone and at a desk: axe finds nothing, and a thumb finds all. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../support/browser/accessible';
import { DESKTOP, PHONE, Visitors } from '../support/browser/browser';
import { DeviceWithPage } from '../support/browser/device-with-page';
import { missingBrowser } from '../support/browser/missing-browser';
import { describeWhere } from '../support/processes/needs';

const THEMES = ['light', 'dark'] as const;
const VIEWS = ['outputs', 'link', 'activity', 'checks'];
const DOCTOR_MS = 40_000;

let device: DeviceWithPage;
let visitors: Visitors;

async function expectBothThemes(page: Page, where: string): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page, `${where}, ${colorScheme}`);
  }
}

/** By what is the same in both languages. */
async function openEverything(page: Page, view: string): Promise<void> {
  if (view === 'outputs') {
    const panels = page.locator('[aria-expanded]');
    await panels.nth(0).click();
    await panels.nth(3).click();
  }
  if (view === 'checks') {
    const cards = page.locator('.card');
    await cards.nth(0).locator('.button').click();
    await cards.nth(0).locator('.entries').waitFor({ timeout: DOCTOR_MS });
    await cards.nth(1).locator('[type=submit]').click();
    await cards.nth(1).locator('.panel').waitFor();
  }
}

describeWhere(missingBrowser())('the page is for everybody', () => {
  beforeAll(async () => {
    visitors = await Visitors.arrive();
    device = await DeviceWithPage.start();
    await device.relayctl('pulse', '1');
    await device.relayctl('lock', '0', '--for', '1h');
  });
  afterAll(async () => {
    await visitors?.leave();
    await device?.stop();
  });

  test.each([
    // Its words are the longer ones.
    ['fr', PHONE],
    ['en', DESKTOP],
  ] as const)(
    'in %s at %j',
    async (language, viewport) => {
      const page = await visitors.visit({ origin: device.origin, language, viewport });
      const pin = page.locator('input.pin');
      await pin.waitFor();
      await expectBothThemes(page, `login, ${language}`);
      await pin.fill(device.pin);
      await page.locator('input').nth(1).fill('Paul');
      await page.keyboard.press('Enter');
      await page.locator('.card').first().waitFor();
      expect(await page.evaluate('document.documentElement.lang')).toBe(language);
      for (const view of VIEWS) {
        await page.locator(`nav a[href="#${view}"]`).click();
        await page.locator(`nav a[href="#${view}"][aria-current]`).waitFor();
        await page.locator('.card').first().waitFor();
        await openEverything(page, view);
        await expectBothThemes(page, `${view}, ${language}`);
      }
      await visitors.closePages();
    },
    60_000,
  );
});
