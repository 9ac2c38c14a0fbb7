/** What the reference needs of Swagger UI, whose script stands before ours. */

export interface OpenApiDocument {
  servers?: unknown;
  /** By path and method. */
  paths: Record<string, Record<string, { parameters?: { name: string; example?: unknown }[] }>>;
}

export interface SwaggerRequest {
  url: string;
  method?: string;
  body?: unknown;
}

export interface SwaggerResponse {
  ok: boolean;
  url: string;
  obj?: unknown;
}

interface ReactLike {
  createElement(kind: unknown, props: object | null, ...children: unknown[]): unknown;
}

interface Plugin {
  components?: Record<string, (props: Record<string, unknown>) => unknown>;
  wrapComponents?: Record<string, (original: unknown) => (props: object) => unknown>;
}

export interface SwaggerOptions {
  spec: OpenApiDocument;
  domNode: Element;
  layout: 'BaseLayout';
  presets: readonly unknown[];
  plugins: readonly ((system: { React: ReactLike }) => Plugin)[];
  /** True: an operation has an address of its own. */
  deepLinking: boolean;
  /** False: a token is gone with the page. */
  persistAuthorization: boolean;
  displayRequestDuration: boolean;
  syntaxHighlight: { theme: string };
  /** 0: the schemas are folded; -1: they are left out. */
  defaultModelsExpandDepth: number;
  /** False: what is shown as sent is shown also where the request was given up. */
  showMutatedRequest: boolean;
  /** The request is sent once the promise resolves, and not at all if it rejects. */
  requestInterceptor(request: SwaggerRequest): SwaggerRequest | Promise<SwaggerRequest>;
  responseInterceptor(response: SwaggerResponse): SwaggerResponse;
}

interface SwaggerUi {
  preauthorizeApiKey(scheme: string, token: string): void;
}

declare global {
  const SwaggerUIBundle: ((options: SwaggerOptions) => SwaggerUi) & { presets: { apis: unknown } };
}
