import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { send } from './server.ts';

interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

// Reads JSON arrays of writes, one per line, sends them, a given number at once, and prints when the first began.
const { BARE_AT_ONCE: atOnce = '1' } = process.env;

async function write({ method, path, body }: Write): Promise<void> {
  const response = await send(path, { method, body, contentType: 'application/json' });
  response.resume();
  await once(response, 'end');
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${method} ${path} answers ${response.statusCode}`);
}

process.stdout.write('ready\n');
for await (const line of createInterface(process.stdin)) {
  const writes: readonly Write[] = JSON.parse(line);
  const beganMs = performance.timeOrigin + performance.now();
  const left = writes.values();
  const workOff = async (): Promise<void> => {
    for (const one of left) await write(one);
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, workOff));
  process.stdout.write(`${beganMs}\n`);
}
