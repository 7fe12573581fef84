import type { BenchStage } from './stage.ts';

const AT_ONCE = 16;

/** Objects that are spread evenly over namespaces: object `i` is in namespace `i % namespaces`. */
export interface Spread {
  readonly objects: number;
  readonly namespaces: number;
}

/** The namespace of an object. */
export function namespaceOf({ namespaces }: Spread, index: number): string {
  return `shop-${String(index % namespaces).padStart(3, '0')}`;
}

/** Creates the namespaces and their ConfigMaps, each of about 0.7 KB as the server sends it. */
export async function fillConfigMaps({ api }: Pick<BenchStage, 'api'>, spread: Spread): Promise<void> {
  const create = async (path: string, object: Readonly<Record<string, unknown>>): Promise<void> => {
    const { status, body } = await api.call('POST', path, object);
    if (status !== 201) throw new Error(`POST ${path} is refused: ${JSON.stringify(body)}`);
  };
  await atOnce(spread.namespaces, async (index) => {
    await create('/api/v1/namespaces', { metadata: { name: namespaceOf(spread, index) } });
  });
  await atOnce(spread.objects, async (index) => {
    await create(pathOf(spread, index), { metadata: { name: nameOf(index), labels: { app: 'web' } }, data: DATA });
  });
}

let changes = 0;

/** Changes this many objects of all namespaces, as fast as the server takes it. */
export async function changeConfigMaps({ api }: Pick<BenchStage, 'api'>, spread: Spread, count: number): Promise<void> {
  await atOnce(count, async () => {
    const index = (changes++ * STRIDE) % spread.objects;
    const path = `${pathOf(spread, index)}/${nameOf(index)}`;
    const patch = { metadata: { annotations: { 'example.com/change': String(changes) } } };
    const { status, body } = await api.call('PATCH', path, patch, 'application/merge-patch+json');
    if (status !== 200) throw new Error(`the change of ${path} is refused: ${JSON.stringify(body)}`);
  });
}

/** A prime, so that every object has its turn. */
const STRIDE = 7919;

const DATA = {
  'app.properties': ['server.port=8080', 'cache.size=256', 'log.level=info', 'features=checkout,search'].join('\n'),
};

function pathOf(spread: Spread, index: number): string {
  return `/api/v1/namespaces/${namespaceOf(spread, index)}/configmaps`;
}

function nameOf(index: number): string {
  return `web-config-${String(index).padStart(6, '0')}`;
}

async function atOnce(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
