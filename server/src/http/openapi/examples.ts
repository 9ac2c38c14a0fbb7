/** Example values of the OpenAPI document. They belong to no installation. */
const ACCESS_TOKEN = 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2lnbmF0dXJl';
export const REFRESH_TOKEN = 'rgr_00112233445566778899aabbccddeeff_0_c2lnbmF0dXJlLW9mLWEtcmVmcmVzaC10b2tlbi0uLi4';
export const CLIENT_KEY = 'rgc_<key id>_<secret>';
export const PRODUCT = { productLogin: 'demo-gate', productKey: 'PZZQ-DVK5-VNAC-RGXV-6AN2-368G-H004' };
export const PAIR = { accessToken: ACCESS_TOKEN, refreshToken: REFRESH_TOKEN };
export const LEGACY_STATE = {
  productLogin: 'demo-gate',
  connected: true,
  lastSeenAt: '2026-01-01T12:00:00.000Z',
  outputs: [
    {
      numOutput: 0,
      name: 'Gate',
      mode: 'impulse',
      state: 0,
      observedAt: '2026-01-01T11:59:00.000Z',
      activated: true,
      pulseMs: 500,
      confirmedBy: 'readback',
    },
    {
      numOutput: 1,
      name: null,
      mode: null,
      state: null,
      observedAt: null,
      activated: false,
      pulseMs: null,
      confirmedBy: null,
    },
  ],
  faults: [],
};
export const STATE = {
  ...LEGACY_STATE,
  inputs: [
    {
      numInput: 3,
      name: 'Gate contact',
      kind: 'contact',
      state: 'closed',
      observedAt: '2026-01-01T11:59:00.000Z',
    },
  ],
};

export const COMMAND = {
  commandId: '019a9f0e-7c1e-7f00-8000-000000000000',
  productLogin: 'demo-gate',
  numOutput: 0,
  action: 'set',
  state: 1,
  outcome: 'executed',
  reason: null,
  acceptedAt: '2026-01-01T12:00:00.000Z',
  resolvedAt: '2026-01-01T12:00:00.080Z',
};

export const CURSOR = 'ZXhhbXBsZSBvZiBhIHNlYWxnYXRlLTE';
export const LISTED_PRODUCT = {
  productLogin: 'demo-gate',
  connected: true,
  lastSeenAt: '2026-01-01T12:00:00.000Z',
  activated: true,
  outputCount: 2,
  faulty: false,
};
