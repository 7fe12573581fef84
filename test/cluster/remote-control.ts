import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ControlPlane } from './control-plane.ts';

const COMMANDS = ['killApiserver', 'startApiserver', 'stopControllers', 'startControllers', 'compactEtcd'] as const;

/** What the tests can do to the control plane, which runs in another process. */
export type ControlCommand = (typeof COMMANDS)[number];

/** Serves the commands to the test processes. */
export async function serveControls(
  plane: ControlPlane,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const command = COMMANDS.find((name) => request.url === `/${name}`);
    const done = command === undefined ? Promise.reject(new Error(`no command ${request.url}`)) : plane[command]();
    done.then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** Makes the control plane carry out a command, and waits until it is done. */
export async function control(url: string, command: ControlCommand): Promise<void> {
  const response = await fetch(`${url}/${command}`, { method: 'POST' });
  if (!response.ok) throw new Error(`${command} failed: ${await response.text()}`);
}
