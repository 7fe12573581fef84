import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { aborted } from '../../lib/aborted.ts';
import { familyPieces } from '../../lib/exposition.ts';
import { Histogram } from '../../lib/metric.ts';
import { nextTurn } from '../../lib/turn.ts';
import { gaugeOf } from './metric-reading.ts';
import { nodeFamilies } from './node-families.ts';
import { processFamilies } from './process-families.ts';

/** The metrics of this process and of Node, under the names that dashboards for Node programs use. */
export interface ProcessMetrics {
  /** Returns the current values in the text format of Prometheus. */
  text(): Promise<string>;
  /** Measures garbage collections until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const GC_SECONDS = [0.001, 0.01, 0.1, 1, 2, 5];
const GC_KINDS: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/**
 * Creates the metrics of the process. All but garbage collections are read on demand. There is no histogram of the event
 * loop's delay: sampling it every 10 ms takes more CPU time than everything else when idle, and a longer period would
 * show up as delay.
 */
export function createProcessMetrics(): ProcessMetrics {
  const gcSeconds = new Histogram(
    {
      name: 'nodejs_gc_duration_seconds',
      help: 'Duration of garbage collections in seconds, by kind.',
      labelNames: ['kind'],
      maxSeries: GC_KINDS.size + 1,
    },
    GC_SECONDS,
  );
  return {
    async text() {
      const lag = gaugeOf(
        'nodejs_eventloop_lag_seconds',
        'How long a turn of the event loop takes now, in seconds.',
        await lagSeconds(),
      );
      const families = [...processFamilies(), lag, ...nodeFamilies(), gcSeconds];
      return families.flatMap((family) => [...familyPieces(family)]).join('');
    },
    async run(signal) {
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) gcSeconds.observe({ kind: gcKind(entry) }, entry.duration / 1000);
      });
      observer.observe({ entryTypes: ['gc'] });
      await aborted(signal);
      observer.disconnect();
    },
  };
}

/** Measures one turn of the event loop. */
async function lagSeconds(): Promise<number> {
  const beganMs = performance.now();
  await nextTurn();
  return (performance.now() - beganMs) / 1000;
}

function gcKind(entry: PerformanceEntry): string {
  const detail: unknown = 'detail' in entry ? entry.detail : undefined;
  const kind = typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
  return GC_KINDS.get(kind) ?? 'other';
}
