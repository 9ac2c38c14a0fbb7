import { describe, expect, test } from '@jest/globals';
import { switchQuestion } from '@relaygate/server/http/docs/switch-question';
import { OPERATIONS } from '@relaygate/server/http/operations';

const ORIGIN = 'https://gate.example';
const URLS = OPERATIONS.map(({ method, path, body, command }) => ({
  method: method.toUpperCase(),
  url: ORIGIN + path.replace('{productLogin}', 'demo-gate').replace('{numOutput}', '0').replace('{commandId}', 'x'),
  body: JSON.stringify(body?.example),
  command,
}));

describe('the question before a request of the reference', () => {
  test.each(URLS)(
    '$method $url: is there if the operation gives a command, and only then',
    ({ command, ...request }) => {
      const question = switchQuestion(request);
      if (command) expect(question).toMatch(/output 0 of demo-gate( on| off)? now: its relay moves, .* Go on\?$/);
      else expect(question).toBeUndefined();
    },
  );

  test.each([
    ['PATCH', '/api/v1/products/a%2Fb/outputs/3', '{"state":0}', 'switches output 3 of a/b off now'],
    ['PATCH', '/api/v1/products/gate/outputs/3', '{"state":1}', 'switches output 3 of gate on now'],
    ['PATCH', '/api/v1/products/gate/outputs/3', 'no JSON', 'switches output 3 of gate now'],
    ['post', '/api/v1/products/gate/outputs/3/toggle?x=1', undefined, 'toggles output 3 of gate now'],
    ['POST', '/api/setOutputProduct', '{"productLogin":"p","numOutput":2,"state":1}', 'switches output 2 of p on now'],
    ['POST', '/api/toggleOutputProduct', { productLogin: 'p', numOutput: 2 }, 'toggles output 2 of p now'],
    ['POST', '/api/toggleOutputProduct', null, 'toggles output undefined of undefined now'],
  ])('%s %s with %j says what moves', (method, path, body, words) => {
    expect(switchQuestion({ method, url: ORIGIN + path, body })).toContain(`This ${words}: `);
  });
});
