/** A request that the reference is about to send. */
export interface ReferenceRequest {
  method: string;
  /** Of this server. */
  url: string;
  body?: unknown;
}

const V1_PATH = /^\/api\/v1\/products\/([^/]+)\/outputs\/([^/]+)(\/toggle)?$/;
const LEGACY_PATH = /^\/api\/(set|toggle)OutputProduct$/;
const STATES = new Map<unknown, string>([
  [0, ' off'],
  [1, ' on'],
]);

/**
 * What to ask before a request that moves something, in both generations; undefined if it moves nothing. Also about requests
 * that the server will refuse: only the server decides that.
 */
export function switchQuestion({ method, url, body }: ReferenceRequest): string | undefined {
  if (method.toUpperCase() === 'GET') return undefined;
  const { pathname } = new URL(url, 'http://this-server');
  const [, login, number, toggle] = V1_PATH.exec(pathname) ?? [];
  const legacy = LEGACY_PATH.exec(pathname)?.[1];
  if (login === undefined && legacy === undefined) return undefined;
  const members = membersOf(body);
  const productLogin = login === undefined ? members.productLogin : decodeURIComponent(login);
  const output = `output ${number ?? members.numOutput} of ${productLogin}`;
  const isToggle = toggle !== undefined || legacy === 'toggle';
  const does = isToggle ? `toggles ${output}` : `switches ${output}${STATES.get(members.state) ?? ''}`;
  return `This ${does} now: its relay moves, and with it what hangs on the relay. Go on?`;
}

/** Of a body as text or as its members. */
function membersOf(body: unknown): Record<string, unknown> {
  if (typeof body === 'object' && body !== null) return { ...body };
  try {
    return { ...JSON.parse(String(body)) };
  } catch {
    return {};
  }
}
