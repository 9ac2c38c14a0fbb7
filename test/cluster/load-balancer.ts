import type { ClusterNode } from './nodes';

/**
 * What haproxy is told; server/SCALING.md says why. A request whose connection could not be made goes to another server, one that was sent
 * is never repeated.
 */
export function balancerSettings(port: number, nodes: readonly ClusterNode[]): string {
  const servers = nodes.map(({ name, baseUrl }) => `  server ${name} ${new URL(baseUrl).host}`);
  return `global
  maxconn 4000

defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout http-request 10s
  timeout tunnel 1h
  retry-on conn-failure
  option redispatch

frontend relaygate
  bind 127.0.0.1:${port}
  http-request del-header X-Forwarded-For
  option forwardfor
  default_backend nodes

backend nodes
  balance leastconn
  option httpchk GET /readyz
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}
