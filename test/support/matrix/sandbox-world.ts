import { startSandbox } from '@hooklet/sandbox';
import { configMap } from '../fault-rig.ts';
import { startTlsFront } from '../stages/front.ts';
import type { MatrixWorld } from './cell.ts';
import { MatrixWriter } from './writer.ts';

/** A sandbox behind TLS with a continuous writer. */
export async function startSandboxWorld(): Promise<MatrixWorld & AsyncDisposable> {
  await using ends = new AsyncDisposableStack();
  const sandbox = ends.use(await startSandbox());
  const front = ends.use(await startTlsFront(sandbox.url));
  const writer = new MatrixWriter({
    put: async (name, value) => void (await sandbox.apply(configMap(name, String(value)))),
    remove: async (name) => sandbox.delete(configMap(name, '')),
  });
  const controller = new AbortController();
  const writing = writer.run(controller.signal);
  ends.defer(async () => {
    controller.abort();
    await writing;
  });
  const opened = ends.move();
  return {
    target: front,
    token: sandbox.token,
    namespace: 'default',
    writer,
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  };
}
