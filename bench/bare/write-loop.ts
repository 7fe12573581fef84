import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { send } from './server.ts';

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

// For each line on standard input, a JSON array of writes: one after another, and then the time at which the first began.
process.stdout.write('ready\n');
for await (const line of createInterface(process.stdin)) {
  const writes: readonly Write[] = JSON.parse(line);
  const beganMs = performance.timeOrigin + performance.now();
  for (const { method, path, body } of writes) {
    const response = await send(path, { method, body, contentType: 'application/json' });
    response.resume();
    await once(response, 'end');
    if ((response.statusCode ?? 500) >= 300) throw new Error(`${method} ${path} answers ${response.statusCode}`);
  }
  process.stdout.write(`${beganMs}\n`);
}
