import type { Row } from './row.ts';

/** A row of the table; its code is `rows/<name>.ts`, which exports `row`. */
export interface RowEntry {
  readonly name: string;
  readonly title: string;
  /** Whether the guard measures it by default; all of these together take about three minutes. */
  readonly isFast?: boolean;
}

/** Every row, in the order of the table. */
export const ROWS: readonly RowEntry[] = [
  { name: 'event', title: 'event to hook start, idle', isFast: true },
  { name: 'event-warm', title: 'event to a warm TypeScript hook, idle', isFast: true },
  { name: 'startup', title: 'process start to the first onStartup run', isFast: true },
  { name: 'exit', title: 'SIGTERM to the end of the process, idle', isFast: true },
  { name: 'dev-exit', title: 'Ctrl-C to the end of hooklet dev, a hook that does not want to end', isFast: true },
  { name: 'hooks-100', title: '100 hooks with 100 distinct watches: start to the last Synchronization' },
  { name: 'hooks-1000', title: '1,000 hooks on 20 kinds: start to the last Synchronization' },
  { name: 'patches', title: '200 CreateOrUpdate in one run', isFast: true },
  { name: 'burst', title: '2,000 Added in one queue, all seen', isFast: true },
  { name: 'queues-shell', title: '1,000 events over 20 queues, shell hooks' },
  { name: 'warm-throughput', title: '5,000 events to a warm TypeScript hook, one run each' },
  { name: 'job', title: 'a run that is a Job, one at a time, without a node and images' },
  { name: 'workers', title: 'runs that wait 250 ms, on workers that take 4 at a time' },
  { name: 'reconcile', title: '500 parents with two children each, reconcile hook in TypeScript', isFast: true },
  { name: 'reconcile-10k', title: '10,000 parents with two children each, reconcile hook in TypeScript' },
  { name: 'failing', title: '1,000 objects that fail each second beside one that is well', isFast: true },
  { name: 'pods-full', title: '10,000 pods, full objects' },
  { name: 'pods-filtered', title: '10,000 pods, jqFilter, no full objects' },
  { name: 'pods-100k', title: '100,000 pods, jqFilter, no full objects' },
  { name: 'shards', title: '100,000 ConfigMaps divided among replicas, --shards' },
  { name: 'relist', title: 'relist of 10,000 objects after 410' },
  { name: 'admission-shell', title: 'an admission request to a shell hook' },
  { name: 'admission-warm', title: 'an admission request to a warm TypeScript hook' },
  { name: 'rotation', title: 'admission requests during rotations of authority and certificate, two replicas' },
  { name: 'idle', title: '20 queues and 20 watches, idle' },
  { name: 'jq', title: 'jq on a pod of 4.5 KB', isFast: true },
  { name: 'page', title: 'the page of 10,000 runs: a view, request to last byte' },
  { name: 'context', title: 'context of 10,000 objects written for a hook' },
];

/** The code of a row. */
export async function loadRow({ name }: RowEntry): Promise<Row> {
  const module: { readonly row?: Row } = await import(`./rows/${name}.ts`);
  if (module.row === undefined) throw new Error(`bench/rows/${name}.ts exports no row`);
  return module.row;
}
