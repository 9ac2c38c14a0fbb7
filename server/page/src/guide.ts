/** The guide names the address of a demo; where it is read, its server has another one. */
const DEMO_ADDRESS = 'http://127.0.0.1:8080';

for (const code of document.querySelectorAll('pre code'))
  if (code.textContent.includes(DEMO_ADDRESS))
    code.textContent = code.textContent.replaceAll(DEMO_ADDRESS, location.origin);
