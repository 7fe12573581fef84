import { expect } from 'vitest';
import { eventually } from '../solutions/eventually.ts';
import { conditionsOf, type SampleRig } from './320-sampledb-rig.ts';

/** What one round of chaos did, and how long the database was not whole. */
export interface Round {
  readonly fault: string;
  readonly seconds: number;
}

/** Writes numbers one after the other for as long as it lives, and knows which were acknowledged. */
export class Writer {
  readonly #rig: SampleRig;
  readonly #name: string;
  readonly #acknowledged: number[] = [];
  #next = 1;
  #ended: Promise<void> | undefined;
  #isOver = false;

  constructor(rig: SampleRig, name: string) {
    this.#rig = rig;
    this.#name = name;
  }

  async start(): Promise<void> {
    await this.#rig.sql(this.#name, 'create table if not exists written (n int primary key)');
    this.#ended = this.#write();
  }

  get count(): number {
    return this.#acknowledged.length;
  }

  /** The acknowledged numbers that are not in the database. */
  async lost(): Promise<readonly number[]> {
    const known = [...this.#acknowledged];
    const rows = new Set((await this.#rig.sql(this.#name, 'select n from written')).split('\n').map(Number));
    return known.filter((n) => !rows.has(n));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #write(): Promise<void> {
    while (!this.#isOver) {
      const n = this.#next++;
      // What fails may have been written, or not: nobody was promised anything.
      const done = await this.#rig.sql(this.#name, `insert into written values (${n})`).catch(() => undefined);
      if (done !== undefined) this.#acknowledged.push(n);
      await new Promise((resolve) => setTimeout(resolve, done === undefined ? 200 : 20));
    }
  }
}

type Fault = (rig: SampleRig, name: string) => Promise<void>;

/** What is done to a database, by name. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'the server is killed': async ({ kubelet, namespace }, name) => kubelet.kill({ namespace, name: `${name}-0` }),
  'a backend is killed': async ({ kubelet, namespace }, name) =>
    kubelet.kill({ namespace, name: `${name}-0` }, { process: /postgres: (?:walwriter|checkpointer)/ }),
  'the Pod is deleted': async ({ remove }, name) => remove('pods', `${name}-0`),
  'the StatefulSet is deleted': async ({ remove }, name) => remove('statefulsets', name),
  'the Service is deleted': async ({ remove }, name) => remove('services', name),
  'the scripts are deleted': async ({ remove }, name) => remove('configmaps', `${name}-scripts`),
  'the configuration Job is deleted': async ({ remove }, name) => remove('jobs', `${name}-configure`),
  'the operator is killed': async ({ restartOperator }) => restartOperator(),
  'the StatefulSet is deleted, and the operator killed': async ({ remove, restartOperator }, name) => {
    await remove('statefulsets', name);
    await restartOperator();
  },
  'the StatefulSet is scaled to none': async ({ patch }, name) =>
    patch('statefulsets', name, { spec: { replicas: 0 } }),
};

/** Does one of them, and waits until rows are acknowledged again and all is there that should be. */
export async function strike(rig: SampleRig, name: string, fault: string): Promise<Round> {
  const before = await identities(rig, name);
  const start = performance.now();
  await FAULTS[fault]?.(rig, name);
  await eventually(async () => {
    const db = await rig.get('sampledbs', name);
    const ready = conditionsOf(db).find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({ status: 'True', observedGeneration: db?.metadata.generation });
    for (const [resource, child] of childrenOf(name)) expect(await rig.get(resource, child), child).toBeDefined();
    expect((await identities(rig, name)).volume).toBe(before.volume);
    expect(Object((await rig.get('statefulsets', name))?.['status'])['readyReplicas']).toBe(1);
    await rig.sql(
      name,
      'insert into written values (-(extract(epoch from clock_timestamp()) * 10)::bigint % 1000000000)',
    );
  });
  return { fault, seconds: (performance.now() - start) / 1000 };
}

/** The figures of all rounds, as text. */
export function figures(rounds: readonly Round[]): string {
  const seconds = rounds.map((round) => round.seconds).toSorted((a, b) => a - b);
  const quantile = (part: number): string =>
    (seconds[Math.max(0, Math.ceil(part * seconds.length) - 1)] ?? 0).toFixed(1);
  return `${seconds.length} rounds, seconds to repair: p50 ${quantile(0.5)}, p99 ${quantile(0.99)}, max ${quantile(1)}`;
}

function childrenOf(name: string): readonly (readonly [string, string])[] {
  return [
    ['services', name],
    ['configmaps', `${name}-connection`],
    ['configmaps', `${name}-scripts`],
    ['jobs', `${name}-configure`],
    ['persistentvolumeclaims', `${name}-data`],
  ];
}

async function identities({ get }: SampleRig, name: string): Promise<{ readonly volume: string | undefined }> {
  return { volume: (await get('persistentvolumeclaims', `${name}-data`))?.metadata.uid };
}
