/** What the cluster prints when all is ready. */
import type { Cluster } from './cluster';
import type { ClusterFolder } from './cluster-folder';

/** One line for programs; its members are relied upon (design, "Names that other software relies on"). */
export function reportForPrograms(cluster: Cluster, folder: ClusterFolder): string {
  const { baseUrl, nodes, clientKey, devices: products, databaseUrl, natsUrl, pids } = cluster;
  return JSON.stringify({ baseUrl, nodes, clientKey, products, databaseUrl, natsUrl, pids, dataDir: folder.path });
}

export function reportForPeople(cluster: Cluster, folder: ClusterFolder): string {
  const { baseUrl, nodes, clientKey, devices, databaseUrl } = cluster;
  const [{ productLogin, edgeLog } = { productLogin: '', edgeLog: '' }] = devices;
  const [first] = nodes;
  return `
The cluster is ready.

  base URL       ${baseUrl}  (the load balancer)
${nodes.map(({ name, baseUrl: url, pid }) => `  ${name.padEnd(13)}  ${url}  (process ${pid})`).join('\n')}
  client key     ${clientKey}
  database       ${databaseUrl}
  devices        ${devices.length}, the first is ${productLogin}
  data, logs     ${folder.path}  (pids.json: the processes of now)

Switch output 0 of the first device on, through any server:

  TOKEN=$(curl -sS ${baseUrl}/v1/auth/login -H 'Content-Type: application/json' \\
    -d '{"clientKey":"${clientKey}"}' | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')
  curl -sS -w '\\n' -X PATCH ${baseUrl}/v1/products/${productLogin}/outputs/0 \\
    -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"state":1}'

Watch its relays (level 1: energised):

  tail -f ${edgeLog}

Kill a server, and its devices go to the others; it is started again after 200 ms:

  kill -9 ${first?.pid}

Ctrl-C stops everything.
`;
}
