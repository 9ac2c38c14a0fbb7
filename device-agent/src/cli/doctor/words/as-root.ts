/** The cure for whoever looks as a user who may not see all. */
export const AS_ROOT = {
  en: 'run "sudo relayctl doctor" on this device',
  fr: 'lancez « sudo relayctl doctor » sur l’appareil',
} as const;
