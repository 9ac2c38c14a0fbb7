/** Debian's Chromium without a screen, driven as somebody with a phone or a laptop would use it. */
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';

/** The last ones keep it from looking for hosts of its own. */
export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
export const CHROMIUM = '/usr/bin/chromium';
export const PHONE = { width: 360, height: 740 };
export const DESKTOP = { width: 1280, height: 800 };
/** Longer than anything that the page shows may take, also where the machine is busy. */
const PATIENCE_MS = 10_000;

export interface VisitOptions {
  origin: string;
  /** Of the page: `/` if absent. */
  path?: string;
  language?: 'fr' | 'en';
  viewport?: { width: number; height: number };
  /** Runs in the page before anything of its own. */
  script?: string;
}

/** One browser for a test file; each visit is somebody else with a device of their own. */
export class Visitors {
  readonly #browser: Browser;
  /** What no page of ours may do: errors of scripts, breaches of its policy, requests to others. */
  readonly offences: string[] = [];

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async arrive(): Promise<Visitors> {
    return new Visitors(await chromium.launch({ executablePath: CHROMIUM, args: FLAGS }));
  }

  /** The page as it is opened, not yet waited for. */
  async visit({ origin, path = '/', language = 'en', viewport = PHONE, script }: VisitOptions): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport,
      locale: language === 'fr' ? 'fr-FR' : 'en-GB',
      // The device signs its certificate itself, and a person accepts it once.
      ignoreHTTPSErrors: true,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    if (script !== undefined) await context.addInitScript(script);
    const page = await context.newPage();
    page.on('pageerror', (error) => this.offences.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) this.offences.push(message.text());
    });
    page.on('request', (request) => {
      if (!/^data:/.test(request.url()) && !request.url().startsWith(`${origin}/`)) this.offences.push(request.url());
    });
    await page.goto(origin + path);
    return page;
  }

  /** Closes every page: an open one goes on asking its device. */
  async closePages(): Promise<void> {
    for (const context of this.#browser.contexts()) await context.close();
  }

  leave(): Promise<void> {
    return this.#browser.close();
  }
}

/** For a visit: notes when somebody can type, in milliseconds since the page was asked for. */
export const NOTE_TYPEABLE =
  "document.addEventListener('focusin', () => { window.typeableMs ??= performance.now(); });";

/** Resolves once somebody can type: with what `NOTE_TYPEABLE` has noted. */
export async function typeableMs(page: Page): Promise<number> {
  await page.locator('input.pin:focus').waitFor();
  return page.evaluate<number>('window.typeableMs');
}

/** In English. Resolves when the outputs are there. */
export async function logIn(page: Page, pin: string, name = 'Paul'): Promise<void> {
  await page.getByLabel('PIN').fill(pin);
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Outputs', level: 1 }).waitFor();
  await page.locator('.card').first().waitFor();
}

/** By the heading of one of the cards. */
export function card(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title });
}

/** The second tap must not follow at once: wet fingers bounce. */
const DELIBERATE_MS = 450;

/** Taps what moves something, and once more as it asks for. */
export async function tapTwice(page: Page, button: Locator): Promise<void> {
  await button.click();
  await page.waitForTimeout(DELIBERATE_MS);
  await page.locator('.button.armed').click();
}
