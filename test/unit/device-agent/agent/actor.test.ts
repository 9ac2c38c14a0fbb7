import { expect, test } from '@jest/globals';
import { Actor } from '@relaygate/device-agent/agent/technician/local-messages/actor';
import { parserOf, Type } from '@relaygate/shared';

const parse = parserOf(Type.Object({ actor: Actor }));

test.each(['relayctl as ana', 'page as Léa', 'page as علي', 'page as 李', 'page as 😀'])(
  '%s may have done it',
  (actor) => {
    expect(parse({ actor }).ok).toBe(true);
  },
);

test.each(['', 'a\nb', 'a\u0085b', 'a\u2028b', 'a\u2029b', 'a\u202eb', 'a\u202ab', 'a\u2066b', 'a\u2069b', 'a\u061cb'])(
  '%j is nobody’s name',
  (actor) => {
    expect(parse({ actor }).ok).toBe(false);
  },
);
