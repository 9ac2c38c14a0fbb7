import type { ClusterNode } from './nodes';

/**
 * What haproxy is told; server/SCALING.md says why. A request whose connection could not be made goes to another server, one that was sent
 * is never repeated. A server that answers its check with 503 gets nothing new (L7OKC), and keeps its links: it ends them itself when
 * it stops. Links of a server that does not answer at all are cut, for their devices to go elsewhere; requests are not, because it may
 * still answer what it has taken. Each request goes over a connection of its own: an idle one that a server closes as it stops may just
 * have been given a request, which would then get no answer at all.
 */
export function balancerSettings(port: number, nodes: readonly ClusterNode[]): string {
  const servers = (options: (name: string) => string): string =>
    nodes.map(({ name, baseUrl }) => `  server ${name} ${new URL(baseUrl).host} ${options(name)}`).join('\n');
  return `global
  maxconn 4000

defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 15s
  timeout http-request 10s
  timeout tunnel 1h
  retry-on conn-failure
  option redispatch
  http-error status 503 content-type application/json string '{"error":"unknown"}'
  option http-server-close
  balance leastconn
  option httpchk GET /readyz
  http-check expect status 200 error-status L7OKC
  default-server inter 500ms fall 2 rise 1

frontend relaygate
  bind 127.0.0.1:${port}
  http-request del-header X-Forwarded-For
  option forwardfor
  use_backend links if { hdr(Upgrade) -i websocket }
  default_backend requests

backend links
${servers(() => 'check on-marked-down shutdown-sessions')}

backend requests
${servers((name) => `track links/${name}`)}
`;
}
