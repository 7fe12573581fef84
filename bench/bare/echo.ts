import { createServer, connect } from 'node:net';
import { fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// The minimum for a warm hook: a process that reads a line with a context, parses it and answers with a line, one after
// the other, over a socket.
const { BARE_RUNS: runs = '0', BARE_ECHO: path } = process.env;
if (path === undefined) await ask(join(tmpdir(), `hooklet-echo-${process.pid}.sock`));
else answer(path);

async function ask(socketPath: string): Promise<void> {
  const server = createServer((socket) => {
    const lines = createInterface(socket);
    const startedAtMs = performance.now();
    let left = Number(runs);
    const next = (): void => {
      if (left-- > 0) socket.write(`${context()}\n`);
      else process.stdout.write(`${runs} ${performance.now() - startedAtMs}\n`);
    };
    lines.on('line', (line) => {
      JSON.parse(line);
      next();
    });
    next();
  });
  await new Promise<void>((resolve) => {
    server.listen(socketPath, resolve);
  });
  process.stdout.write('ready\n');
  const child = fork(import.meta.filename, { env: { ...process.env, BARE_ECHO: socketPath } });
  process.once('exit', () => child.kill());
}

function answer(socketPath: string): void {
  const socket = connect(socketPath);
  socket.on('error', () => process.exit());
  socket.on('end', () => process.exit());
  createInterface(socket).on('line', (line) => {
    JSON.parse(line);
    socket.write('{"patch":"","metrics":""}\n');
  });
}

/** Of the size of an event and a snapshot of ten objects of two bindings. */
function context(): string {
  const managed = [{ manager: 'bench', operation: 'Update', apiVersion: 'v1', time: '2026-01-01T00:00:00Z' }];
  const metadata = { name: 'warm-0', namespace: 'default', labels: { bench: 'warm' }, managedFields: managed };
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data: { change: '249 12345.678' } };
  const items = Array.from({ length: 10 }, () => ({ object }));
  return JSON.stringify([{ binding: 'strict', object, snapshots: { lenient: items, strict: items }, type: 'Event' }]);
}
