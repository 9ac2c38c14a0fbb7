import { describe, expect, test } from '@jest/globals';
import { connectedNow, productJson, productText } from '@relaygate/server/cli/product-sheet';
import type { Association, OutputRecord, ProductRecord } from '@relaygate/server/products/product-store';

const UNTIL_MS = Date.UTC(2026, 2, 1, 12);
const OUTPUT: OutputRecord = {
  numOutput: 0,
  activated: true,
  name: 'Gate',
  mode: 'impulse',
  state: 0,
  pulseMs: 500,
  observedAtMs: 0,
  version: { epoch: 1, seq: 1 },
  confirmedBy: 'readback',
  lockedUntilMs: null,
};
const PRODUCT: ProductRecord = {
  productId: 1,
  productLogin: 'gate-1',
  outputCount: 2,
  activated: true,
  enrolled: true,
  connected: false,
  lastSeenAtMs: null,
  keyHash: '',
  devicePublicKey: null,
  createdAtMs: 0,
  agentVersion: null,
  faults: [],
  replacedAtMs: null,
  clients: 0,
  outputs: [OUTPUT, { ...OUTPUT, numOutput: 1, lockedUntilMs: UNTIL_MS }],
  inputs: [],
};

describe('product show', () => {
  test('names the outputs that a technician has locked, and until when', () => {
    const lines = productText(PRODUCT, false, []).split('\n');
    expect(lines.filter((line) => line.startsWith('Locked'))).toEqual([
      expect.stringMatching(/^Locked +output 1 until 2026-03-01 12:00:00Z, by a technician$/),
    ]);
    expect(productJson(PRODUCT, false, [])).toMatchObject({
      outputs: [{ lockedUntil: null }, { lockedUntil: '2026-03-01T12:00:00.000Z' }],
    });
  });

  test('lists the inputs of the device, if it has some, with the time of their report', () => {
    const contact = { numInput: 3, name: 'Gate\u202e', kind: 'contact', state: 'open', observedAtMs: UNTIL_MS };
    const inputs = [contact, { ...contact, numInput: 11, kind: 'button', state: null }];
    const text = productText({ ...PRODUCT, inputs }, false, []);
    expect(text).toMatch(
      /\n\nINPUT +NAME +KIND +STATE +REPORTED\n3 +Gate\\u202e +contact +open +2026-03-01 12:00:00Z\n11 +Gate\\u202e +button +- +2026-03-01 12:00:00Z$/,
    );
    expect(productText(PRODUCT, false, [])).not.toContain('INPUT');
    const { observedAtMs: _ms, ...members } = contact;
    expect(productJson({ ...PRODUCT, inputs: [contact] }, false, [])).toMatchObject({
      inputs: [{ ...members, observedAt: '2026-03-01T12:00:00.000Z' }],
    });
    expect(productJson(PRODUCT, false, [])).toMatchObject({ inputs: [] });
  });

  test('I11: does not say of a link that the server had when it died that it is there', () => {
    const linked = { ...PRODUCT, connected: true, lastSeenAtMs: UNTIL_MS };
    expect(productText(linked, connectedNow(linked, true), [])).toMatch(
      /^Connected +yes, since 2026-03-01 12:00:00Z$/m,
    );
    const dead = connectedNow(linked, false);
    expect(productText(linked, dead, [])).toMatch(
      /^Connected +not known: the server does not run; linked at 2026-03-01 12:00:00Z$/m,
    );
    expect(productJson(linked, dead, [])).toMatchObject({ connected: null });
    expect(connectedNow(PRODUCT, false)).toBe(false);
  });

  test('says that two devices hold one key, since when and what to do', () => {
    expect(productText(PRODUCT, false, [])).not.toMatch(/Two devices/);
    expect(productText({ ...PRODUCT, replacedAtMs: UNTIL_MS }, false, [])).toMatch(
      /Two devices hold this device's key: at 2026-03-01 12:00:00Z one linked again .*product revoke-device gate-1/s,
    );
  });

  test('lists its clients, and says where the rest of many is', () => {
    const desk: Association = {
      productLogin: 'gate-1',
      clientId: 'c1',
      clientName: 'Front desk',
      clientActive: false,
    };
    expect(productText({ ...PRODUCT, clients: 1 }, false, [desk])).toMatch(
      /\n\nCLIENT +CLIENT ID +ACTIVE\nFront desk +c1 +no$/,
    );
    expect(productText({ ...PRODUCT, clients: 3 }, false, [desk])).toMatch(
      /\n2 more: 'association list --product gate-1' has them all\.$/,
    );
    expect(productText(PRODUCT, false, [])).not.toContain('CLIENT ID');
    expect(productJson({ ...PRODUCT, clients: 1 }, false, [desk])).toMatchObject({
      clients: 1,
      associations: [{ clientId: 'c1', clientName: 'Front desk', clientActive: false }],
    });
  });
});
