/** The inputs of the demo's device, in a new folder and in one that was made before devices had inputs. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { DemoFolder } from '../../demo/demo-folder';
import { type Installation, prepareDevice } from '../../demo/installation';
import { reportForPeople } from '../../demo/report';
import { folderForEach } from '../../support/processes/fresh-folder';

const PRODUCT = { productLogin: 'demo-gate', productKey: 'K', enrolmentCode: 'E' };
const SETTINGS = 'device/settings.json';

const path = folderForEach('rg-d-');
let folder: DemoFolder;
beforeEach(() => {
  folder = new DemoFolder(path);
});
afterEach(() => folder.close());

function prepared(): string {
  const hasDemoInputs = prepareDevice(folder, 'ws://127.0.0.1:1', PRODUCT);
  const demo = { api: { baseUrl: '' }, ...PRODUCT, clientKey: 'C', accessToken: 'T', relayctl: ['r'], hasDemoInputs };
  return reportForPeople(demo as unknown as Installation, folder);
}

test('a new folder has a button and a contact, and still when it is started again', () => {
  for (const _start of [1, 2]) expect(prepared()).toContain('Press the button "Exit"');
});

test('an older folder is said to have none, and its settings stay', () => {
  prepared();
  const { inputs: _inputs, ...older } = JSON.parse(folder.read(SETTINGS));
  folder.writeFile(SETTINGS, JSON.stringify(older));
  const report = prepared();
  expect(report).toContain("does not have the demo's button and contact");
  expect(report).not.toContain('Press the button');
  expect(JSON.parse(folder.read(SETTINGS))).toEqual(older);
});
