import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { aborted } from '../lib/aborted.ts';
import { familyPieces } from '../lib/exposition.ts';
import { Histogram } from '../lib/metric.ts';
import { nextTurn } from '../lib/turn.ts';
import { gaugeOf } from './metric-reading.ts';
import { nodeFamilies } from './node-families.ts';
import { processFamilies } from './process-families.ts';

/** The metrics of this process and of Node, under the names that dashboards for programs on Node know. */
export interface ProcessMetrics {
  /** As they are now, in the text format of Prometheus. */
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
 * Everything but garbage collections is read when it is asked for. There is no distribution of the event loop's delay: to
 * sample it every 10 ms takes more CPU time than all else when idle, and sampled less often it shows its own period as
 * delay.
 */
export function createProcessMetrics(): ProcessMetrics {
  const gcSeconds = new Histogram(
    {
      name: 'nodejs_gc_duration_seconds',
      help: 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
      labelNames: ['kind'],
      maxSeries: GC_KINDS.size + 1,
    },
    GC_SECONDS,
  );
  return {
    async text() {
      const lag = gaugeOf('nodejs_eventloop_lag_seconds', 'Lag of event loop in seconds.', await lagSeconds());
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

/** How long a turn of the event loop takes now. */
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
