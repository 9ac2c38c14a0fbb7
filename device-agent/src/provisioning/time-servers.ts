/** The time servers of a site, for systemd-timesyncd. */

/** In timesyncd.conf.d. The network's own servers (60-relaygate-network.conf) are not asked then. */
export const TIME_SERVERS_FILE = '50-relaygate-site.conf';

/** null: the site names none. The schema lets through nothing but names and addresses. */
export function timeServersText(servers: readonly string[] | undefined): string | null {
  return servers === undefined ? null : `# timeServers of relaygate-site.json\n[Time]\nNTP=${servers.join(' ')}\n`;
}
