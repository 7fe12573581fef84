import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { send } from './server.ts';

// The minimum for an operator of parents with two children: one watch, and for each parent whose spec is new the three
// requests of it, for several parents at once. Nothing is compared, and nothing is kept but which spec was seen.
const { BARE_NAMESPACE: namespace = '', BARE_AT_ONCE: atOnce = '1' } = process.env;
const PARENTS = `/apis/bench.example.com/v1/namespaces/${namespace}/parents`;

interface Parent {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation?: number };
  readonly spec: { readonly text: string };
}

interface Frame {
  readonly type: string;
  readonly object: Parent;
}

const seen = new Map<string, number>();
const waiting: Parent[] = [];
let busy = 0;

async function apply(path: string, object: Readonly<Record<string, unknown>>): Promise<void> {
  const question = { method: 'PATCH', contentType: 'application/apply-patch+yaml', body: JSON.stringify(object) };
  const response = await send(`${path}?fieldManager=bare&force=true`, question);
  response.resume();
  await once(response, 'end');
  if ((response.statusCode ?? 500) >= 300) throw new Error(`PATCH ${path} answers ${response.statusCode}`);
}

async function write({ metadata: { name, uid, generation }, spec: { text } }: Parent): Promise<void> {
  const owner = { apiVersion: 'bench.example.com/v1', kind: 'Parent', name, uid, controller: true };
  const metadata = { name, namespace, labels: { bench: 'child' }, ownerReferences: [owner] };
  const core = `/api/v1/namespaces/${namespace}`;
  const data = { text: Buffer.from(text).toString('base64') };
  await Promise.all([
    apply(`${core}/configmaps/${name}`, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } }),
    apply(`${core}/secrets/${name}`, { apiVersion: 'v1', kind: 'Secret', metadata, data }),
  ]);
  const conditions = [{ type: 'Ready', status: 'True', observedGeneration: generation }];
  const status = { apiVersion: 'bench.example.com/v1', kind: 'Parent', metadata: { name }, status: { conditions } };
  await apply(`${PARENTS}/${name}/status`, status);
}

async function workOff(): Promise<void> {
  busy += 1;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await write(next);
  busy -= 1;
}

const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
createInterface(await send(`${PARENTS}?${query}`)).on('line', (line) => {
  const { type, object }: Frame = JSON.parse(line);
  if (type === 'BOOKMARK') return;
  const { name, generation = 0 } = object.metadata;
  if (seen.get(name) === generation) return;
  seen.set(name, generation);
  waiting.push(object);
  if (busy < Number(atOnce)) void workOff();
});
process.stdout.write('ready\n');
