import { missingProgram } from '../processes/missing-program';
import { CHROMIUM } from './browser';

/** Apart from the browser, which benchmarks drive too: this is for tests alone. */
export const missingBrowser = (): string | undefined => missingProgram(CHROMIUM, 'chromium');
