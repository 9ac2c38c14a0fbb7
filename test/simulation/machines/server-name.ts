/** As every device of the simulation knows the server. */
export const SERVER_NAME = 'relaygate';
