/** The cure for whoever looks as a user who may not see all. */
export const AS_ROOT = 'run "sudo relayctl doctor" on this device';
