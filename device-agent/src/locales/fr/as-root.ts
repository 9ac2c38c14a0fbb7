/** The cure for a user who may not see all. */
export const AS_ROOT = 'lancez « sudo relayctl doctor » sur l’appareil';
