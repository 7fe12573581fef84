import { createInterface } from 'node:readline';
import { send } from './server.ts';

// As many watches as there are paths, and nothing done with what they tell.
const { BARE_PATHS: paths = '' } = process.env;
for (const path of paths.split(' ')) {
  createInterface(await send(`${path}&watch=1&allowWatchBookmarks=true`)).on('line', () => {});
}
process.stdout.write('ready\n');
