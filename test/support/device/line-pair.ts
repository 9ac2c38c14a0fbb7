import type { DialLines, ServeLines } from '@relaygate/device-agent/ipc/line-connection';

/** A socket's two ends in memory; lines and ends arrive as microtasks, in order. */
export function dialInMemory(serve: () => ServeLines | null): DialLines {
  return (dialler) => {
    let isOpen = true;
    let toServer: { line(text: string): void; closed(problem: null): void } | null = null;
    const end = (): void => {
      if (!isOpen) return;
      isOpen = false;
      queueMicrotask(() => {
        toServer?.closed(null);
        dialler.closed(null);
      });
    };
    queueMicrotask(() => {
      const server = serve();
      if (!server || !isOpen) {
        isOpen = false;
        dialler.closed(server ? null : { code: 'ECONNREFUSED', message: 'nobody listens' });
        return;
      }
      toServer = server({
        send: (line) => queueMicrotask(() => isOpen && dialler.line(line)),
        close: end,
      });
      dialler.opened();
    });
    return { send: (line) => queueMicrotask(() => isOpen && toServer?.line(line)), close: end };
  };
}
