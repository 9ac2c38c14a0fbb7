/**
 * The technician's page in the browser: shows what the agent reports and passes on what is asked. It has no rules of its
 * own.
 */
import { render } from 'preact';
import { App } from './app';

const root = document.getElementById('page');
if (root) render(<App />, root);
