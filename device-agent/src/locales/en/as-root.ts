/** The cure for a user who may not see all. */
export const AS_ROOT = 'run "sudo relayctl doctor" on this device';
