import { switchQuestion } from '../../src/http/docs/switch-question';
import { mended, mendWhatIsShown } from './mended';
import type { OpenApiDocument, SwaggerRequest, SwaggerResponse } from './swagger-ui';

/** The name of the scheme in the OpenAPI document. */
const TOKEN_SCHEME = 'accessToken';
const KEY_HEADER = 'Idempotency-Key';
const GIVES_TOKEN = /\/api\/(v1\/auth\/(login|refresh)|login|refreshToken)$/;

const shown = document.querySelector('#reference');
followTheme();
if (shown) show(shown).catch(() => shown.append('The OpenAPI document could not be loaded. Load this page again.'));

async function show(place: Element): Promise<void> {
  const ui = SwaggerUIBundle({
    spec: await ownDocument(),
    domNode: place,
    layout: 'BaseLayout',
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [mended],
    deepLinking: true,
    persistAuthorization: false,
    displayRequestDuration: true,
    // The colours of others are too pale on their ground.
    syntaxHighlight: { theme: 'tomorrow-night' },
    defaultModelsExpandDepth: 0,
    showMutatedRequest: false,
    requestInterceptor: askFirst,
    responseInterceptor(response) {
      const token = tokenOf(response);
      if (token !== undefined) ui.preauthorizeApiKey(TOKEN_SCHEME, token);
      return response;
    },
  });
  mendWhatIsShown(place);
}

/**
 * The OpenAPI document, with the address of this page, whatever address applications use: the page's policy lets no request
 * leave. Without an example of a key: Swagger UI would send it with each try, and a key stands for one execution.
 */
async function ownDocument(): Promise<OpenApiDocument> {
  const answer = await fetch('/openapi.json');
  const { servers: _ofApplications, ...document }: OpenApiDocument = await answer.json();
  for (const operations of Object.values(document.paths))
    for (const { parameters = [] } of Object.values(operations))
      for (const parameter of parameters) if (parameter.name === KEY_HEADER) delete parameter.example;
  return document;
}

/** Nothing that moves an output is sent before somebody has said yes. */
function askFirst(request: SwaggerRequest): SwaggerRequest {
  const { url, method = 'GET', body } = request;
  const question = switchQuestion({ url, method, body });
  if (question !== undefined && !confirm(question)) throw new Error('You said no: nothing was sent.');
  return request;
}

/** The access token of an answer that gives one: the operations that come next use it. */
function tokenOf({ ok, url, obj }: SwaggerResponse): string | undefined {
  if (!ok || !GIVES_TOKEN.test(url) || typeof obj !== 'object' || obj === null) return undefined;
  const token: unknown = Reflect.get(obj, 'accessToken');
  return typeof token === 'string' ? token : undefined;
}

/** Swagger UI is dark by a class, not by what the system prefers. */
function followTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = (): unknown => document.documentElement.classList.toggle('dark-mode', dark.matches);
  follow();
  dark.addEventListener('change', follow);
}
