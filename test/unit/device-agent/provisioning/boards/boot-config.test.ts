import { expect, test } from '@jest/globals';
import { firmwareClosings } from '@relaygate/device-agent/provisioning/boards/boot-config';

const closed = (text: string | null, activeLevel: 'high' | 'low', ...bcms: number[]): number[] =>
  firmwareClosings(text, { activeLevel, relays: bcms.map((bcm) => ({ bcm })) }).map(({ bcm }) => bcm);

test.each<[string, string, 'high' | 'low', number[]]>([
  ['a line that is driven to the level of its relay', 'gpio=6=op,dl', 'low', [6]],
  ['not one that is driven to the other', 'gpio=6=op,dh', 'low', []],
  ['one that is driven without a level, which is low', 'gpio=6=op', 'low', [6]],
  ['lists and ranges', 'gpio=4,6-8=op,dl', 'low', [6, 7]],
  ['several lines, with ends as a PC has them', '# text\r\ngpio=5=op,dl\r\n gpio=7=op,dl\r\n', 'low', [5, 7]],
  ['what is said last', 'gpio=6=op,dl\ngpio=6=dh', 'low', []],
  ['an input that is pulled there', 'gpio=6=ip,pd', 'low', [6]],
  ['not one whose pull is off again', 'gpio=6=ip,pd\ngpio=6=pn', 'low', []],
  ['no line of a part of the chip', 'gpio=6=op,dl\ngpio=6=a0', 'low', []],
  ['no comment', '#gpio=6=op,dl', 'low', []],
  ['nothing of what is no order', 'gpio==op\ngpio=x=op,dl\ngpio=9-5=op,dl\ngpio=6-=op,dh', 'low', []],
  ['high as well', 'gpio=5,6=op,dh', 'high', [5, 6]],
])('the firmware closes %s', (_what, text, activeLevel, expected) => {
  expect(closed(text, activeLevel, 5, 6, 7)).toEqual(expected);
});

test('the order that has the last word is named', () => {
  const found = firmwareClosings('gpio=6=op,dh\ngpio=5-6=op,dl', { activeLevel: 'low', relays: [{ bcm: 6 }] });
  expect(found).toEqual([{ bcm: 6, level: 'low', configLine: 'gpio=5-6=op,dl' }]);
});
