import { fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { send } from './server.ts';

// The minimum for an operator: one watch, and for each new object a message to a small process that spawns the hook.
const spawner = fork(join(import.meta.dirname, 'spawner.ts'), { serialization: 'json' });
const { BARE_PATH: path = '' } = process.env;
const response = await send(`${path}&watch=1&allowWatchBookmarks=true`);
createInterface(response).on('line', (line) => {
  const { type }: { readonly type: string } = JSON.parse(line);
  if (type === 'ADDED') spawner.send('run');
});
process.stdout.write('ready\n');
