import type { SwaggerOptions } from './swagger-ui';

/** What Swagger UI leaves open for those who use a keyboard or a screen reader. */
export const mended: SwaggerOptions['plugins'][number] = ({ React }) => ({
  components: {
    // It is a link inside the button of an operation. The button opens the operation, and the page's address follows.
    DeepLink: ({ text }) => React.createElement('span', null, text),
  },
  wrapComponents: {
    // The headings of the operations are two levels below the title.
    operations: (original) => (props) =>
      React.createElement(
        'div',
        null,
        React.createElement('h2', { className: 'unseen' }, 'Operations'),
        React.createElement(original, props),
      ),
  },
});

/** Attributes that some of its elements lack, or have wrong. */
const ATTRIBUTES = [
  ['.content-type, .content-type-wrapper select', { 'aria-label': 'Media type' }],
  ['.examples-select-element', { 'aria-label': 'Example' }],
  ['.body-param textarea', { 'aria-label': 'Request body' }],
  ['.information-container', { role: 'region', 'aria-label': 'About this API' }],
  ['.schemes-server-container', { role: 'region', 'aria-label': 'Authorization' }],
  // Each operation has one of the same name.
  ['[id$="_responses"]', { role: 'group' }],
  ['.dialog-ux .modal-ux', { role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Authorize' }],
  ['.modal-ux-header h3', { 'aria-level': '2' }],
  ['.auth-container h4', { 'aria-level': '3' }],
  ['.close-modal', { 'aria-label': 'Close' }],
  ['.auth-btn-wrapper [type=submit]', { 'aria-label': 'Authorize' }],
  // What scrolls by itself is reached with the keyboard.
  ['pre, .table-container', { tabindex: '0' }],
] as const;

/** Mends what is shown now, and whatever will be. */
export function mendWhatIsShown(shown: Element): void {
  const mend = (): void => {
    for (const [selector, attributes] of ATTRIBUTES)
      for (const element of shown.querySelectorAll(selector))
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  };
  mend();
  new MutationObserver(mend).observe(shown, { childList: true, subtree: true });
}
