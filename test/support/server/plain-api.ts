/** The few calls of the HTTP API that demo and cluster make, without the packages that tests check answers with. */
const CALL_LIMIT_MS = 10_000;

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export class PlainApi {
  /** Ends in /api. */
  readonly baseUrl: string;
  #accessToken = '';

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  /** A new access token; it also serves the calls below. */
  async login(clientKey: string): Promise<string> {
    const answer = await this.#expect(200, 'POST', '/v1/auth/login', { clientKey });
    this.#accessToken = JSON.parse(answer.body).accessToken;
    return this.#accessToken;
  }

  async addProduct(productLogin: string, productKey: string): Promise<void> {
    await this.#expect(201, 'POST', '/v1/products', { productLogin, productKey });
  }

  async isConnected(productLogin: string): Promise<boolean> {
    const answer = await this.#expect(200, 'GET', `/v1/products/${productLogin}/state`);
    return JSON.parse(answer.body).connected === true;
  }

  setOutput(productLogin: string, numOutput: number, state: 0 | 1): Promise<Answer> {
    return this.#call('PATCH', `/v1/products/${productLogin}/outputs/${numOutput}`, { state });
  }

  legacySetOutput(productLogin: string, numOutput: number, state: 0 | 1): Promise<Answer> {
    return this.#call('POST', '/setOutputProduct', { productLogin, numOutput, state });
  }

  async #expect(status: number, method: string, path: string, body?: object): Promise<Answer> {
    const answer = await this.#call(method, path, body);
    if (answer.status === status) return answer;
    throw new Error(`${method} ${this.baseUrl}${path} answered ${answer.status} ${answer.body}, not ${status}`);
  }

  async #call(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        ...(this.#accessToken ? { Authorization: `Bearer ${this.#accessToken}` } : {}),
        ...(body ? { 'Content-Type': 'application/json' } : {}),
      },
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: await response.text() };
  }
}
