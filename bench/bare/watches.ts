import { createInterface } from 'node:readline';
import { send } from './server.ts';

// One watch per path; their events are ignored.
const { BARE_PATHS: paths = '' } = process.env;
for (const path of paths.split(' ')) {
  createInterface(await send(`${path}&watch=1&allowWatchBookmarks=true`)).on('line', () => {});
}
process.stdout.write('ready\n');
