export * from './board-profile';
export * from './board-settings';
export { consoleLinesProblem, UART_LINES } from './console-problem';
export * from './device-settings';
export * from './guard-settings';
export * from './level';
export * from './output-settings';
export * from './server-url';
