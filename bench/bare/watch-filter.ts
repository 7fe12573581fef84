import { createInterface } from 'node:readline';
import { send } from './server.ts';

// One watch: parses each event once, and compares a filter result with the previous one for each binding.
const results = Array.from({ length: Number(process.env['BARE_BINDINGS'] ?? 1) }, () => '');

interface Frame {
  readonly object: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } };
}

createInterface(await send('/api/v1/configmaps?watch=1&allowWatchBookmarks=true')).on('line', (line) => {
  const { object }: Frame = JSON.parse(line);
  for (const index of results.keys()) {
    const result = JSON.stringify(object.metadata.labels) ?? 'null';
    if (result !== results[index]) results[index] = result;
  }
});
process.stdout.write('ready\n');
