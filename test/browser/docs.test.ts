/** The reference and the guide as a developer opens them: readable everywhere, and nothing moves before they have said yes. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectReadable } from '../support/browser/accessible';
import { DESKTOP, PHONE, Visitors } from '../support/browser/browser';
import { missingBrowser } from '../support/browser/missing-browser';
import { describeWhere } from '../support/processes/needs';
import { startLinkedGate } from '../support/server/linked-gate';
import type { ScriptedDevice } from '../support/server/scripted-device';
import type { TestProduct, TestServer } from '../support/server/test-server';

let server: TestServer;
let gate: TestProduct;
let device: ScriptedDevice;
let clientKey: string;
let visitors: Visitors;

async function expectBothThemes(page: Page, where: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectReadable(page, `${where}, ${colorScheme}`);
  }
}

/** Opens an operation by its id, and lets it be tried. */
async function tryOut(page: Page, operationId: string): Promise<void> {
  const operation = page.locator(`[id$="-${operationId}"]`);
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
}

describeWhere(missingBrowser())('/docs', () => {
  beforeAll(async () => {
    visitors = await Visitors.arrive();
    ({ server, gate, device } = await startLinkedGate());
    ({ clientKey } = await server.newClient());
  });
  afterEach(async () => {
    await visitors.closePages();
    expect(visitors.offences).toEqual([]);
  });
  afterAll(async () => {
    await visitors?.leave();
    await server?.stop();
  });

  test.each([PHONE, DESKTOP])(
    'is for everybody at %j',
    async (viewport) => {
      const page = await visitors.visit({ origin: server.url, path: '/docs', viewport });
      await page.locator('.opblock').first().waitFor();
      await expectBothThemes(page, 'reference');
      for (const operationId of ['login', 'setOutput']) await tryOut(page, operationId);
      await page.locator('section.models button').first().click();
      await page.locator('.json-schema-2020-12').first().waitFor();
      await expectBothThemes(page, 'an operation and the schemas');
      await page.locator('.btn.authorize').click();
      await page.locator('.modal-ux [aria-label=Close], .modal-ux .close-modal').waitFor();
      await expectBothThemes(page, 'authorize');
      await page.goto(`${server.url}/docs/guide`);
      await expectBothThemes(page, 'guide');
    },
    60_000,
  );

  test('the keyboard opens an operation, and its address names it', async () => {
    const page = await visitors.visit({ origin: server.url, path: '/docs', viewport: DESKTOP });
    await page.locator('[id$="-getCommand"] .opblock-summary-control').focus();
    await page.keyboard.press('Enter');
    await page.locator('[id$="-getCommand"] .opblock-body').waitFor();
    expect(page.url()).toContain('#/outputs/getCommand');
    await page.reload();
    await page.locator('[id$="-getCommand"] .opblock-body').waitFor();
  });

  test('a set is sent after a yes, with the token of a login that is kept nowhere, and never after a no', async () => {
    const page = await visitors.visit({ origin: server.url, path: '/docs', viewport: DESKTOP });
    const sent: string[] = [];
    const keys: unknown[] = [];
    page.on('request', (request) => {
      sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
      keys.push(request.headers()['idempotency-key']);
    });
    const asked: string[] = [];
    let isYes = false;
    page.on('dialog', async (dialog) => {
      asked.push(dialog.message());
      await (isYes ? dialog.accept() : dialog.dismiss());
    });
    await tryOut(page, 'login');
    const login = page.locator('[id$="-login"]').first();
    await login.locator('textarea').fill(JSON.stringify({ clientKey }));
    await login.getByRole('button', { name: 'Execute' }).click();
    await login.locator('.live-responses-table .response').getByText('200', { exact: true }).waitFor();
    await page.locator('.btn.authorize.locked').waitFor();
    await associate(page);

    await tryOut(page, 'setOutput');
    const set = page.locator('[id$="-setOutput"]');
    await set.locator('[data-param-name=productLogin] input').fill(gate.productLogin);
    await set.getByRole('button', { name: 'Execute' }).click();
    await set.getByText('You said no: nothing was sent.').waitFor();
    const path = `/api/v1/products/${gate.productLogin}/outputs/0`;
    expect(sent).not.toContain(`PATCH ${path}`);
    expect(device.commands).toEqual([]);

    isYes = true;
    await set.getByRole('button', { name: 'Execute' }).click();
    await set.locator('.live-responses-table .response').getByText('200', { exact: true }).waitFor();
    expect(sent).toContain(`PATCH ${path}`);
    expect(device.commands).toMatchObject([{ action: 'set', numOutput: 0, state: 1 }]);
    const question = `This switches output 0 of ${gate.productLogin} on now: its relay moves, and with it what hangs on the relay. Go on?`;
    expect(asked).toEqual([question, question]);
    // The example of a key in the document is not sent: the next command would be none of its own.
    expect(keys.filter((key) => key !== undefined)).toEqual([]);
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, '']);
  }, 60_000);
});

/** In the page, as a developer does it. */
async function associate(page: Page): Promise<void> {
  await tryOut(page, 'addProduct');
  const add = page.locator('[id$="-addProduct"]').first();
  await add.locator('textarea').fill(JSON.stringify({ productLogin: gate.productLogin, productKey: gate.productKey }));
  await add.getByRole('button', { name: 'Execute' }).click();
  await add.locator('.live-responses-table .response').getByText('201', { exact: true }).waitFor();
}
