import { send } from './server.ts';

// A streamed list of all pods: parses each and keeps its text or a filter result. Prints a line when the list is
// complete.
const keepsText = process.env['BARE_KEEPS'] === 'text';

interface Frame {
  readonly type: string;
  readonly object: {
    readonly metadata: {
      readonly name: string;
      readonly resourceVersion: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec?: { readonly containers: readonly { readonly image: string }[] };
  };
}

const kept: unknown[] = [];

function take(line: Uint8Array): void {
  const { type, object }: Frame = JSON.parse(Buffer.from(line.buffer, line.byteOffset, line.length).toString());
  const { name, resourceVersion, annotations } = object.metadata;
  if (type === 'BOOKMARK') {
    if (annotations?.['k8s.io/initial-events-end'] === 'true') process.stdout.write(`${Date.now()} ${kept.length}\n`);
    return;
  }
  const images = object.spec?.containers.map(({ image }) => image);
  kept.push({ name, resourceVersion, value: keepsText ? new Uint8Array(line) : JSON.stringify({ name, images }) });
}

process.stdout.write('ready\n');
const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const response = await send(`/api/v1/pods?${query}`);
let parts: Uint8Array[] = [];
response.on('data', (chunk: Buffer) => {
  let start = 0;
  for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
    parts.push(chunk.subarray(start, end));
    take(parts.length === 1 ? chunk.subarray(start, end) : Buffer.concat(parts));
    parts = [];
    start = end + 1;
  }
  parts.push(chunk.subarray(start));
});
