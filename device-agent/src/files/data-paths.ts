/** The files in a data folder (FILES.md). */
export function dataPathsIn(folder: string) {
  return {
    settings: `${folder}/settings.json`,
    identity: `${folder}/identity.json`,
    enrolmentCode: `${folder}/enrolment-code`,
    pin: `${folder}/pin.json`,
    history: `${folder}/history.jsonl`,
    locks: `${folder}/locks.json`,
    proof: `${folder}/proof.json`,
    site: `${folder}/site.json`,
    /** Two names in turn: the old settings keep their file until the new ones are there. */
    serverCa: `${folder}/server-ca.pem`,
    otherServerCa: `${folder}/server-ca-2.pem`,
    /** NetworkManager gets a copy at each start, so that the root file system may be read-only. */
    wifi: `${folder}/wifi.nmconnection`,
    lastGoodTime: `${folder}/last-good-time.json`,
    webCertificate: `${folder}/web-certificate.json`,
    /** It is there while the Wi-Fi of the technician's page may be up. */
    hotspotMark: `${folder}/hotspot.json`,
  };
}

export type DataPaths = ReturnType<typeof dataPathsIn>;
