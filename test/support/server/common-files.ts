/** Of a data folder: what all nodes of one installation have in common (server/SCALING.md). */
export const COMMON_FILES = ['secrets.json', 'audit.key'];
