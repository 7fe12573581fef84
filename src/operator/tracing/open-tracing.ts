import { runTraces, type RunTraces, type TraceSpan } from '../../run/run-traces.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { OtlpSettings } from './otlp-settings.ts';

/** Where traces go, and what they say of this program. */
export interface TracingSettings extends OtlpSettings {
  /** Attributes of everything that is sent; those of `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` precede. */
  readonly resource: Readonly<Record<string, string>>;
}

/** Sends spans, and never waits for whoever takes them. */
export interface SpanSender {
  /** Takes a span to be sent soon; drops it when too many wait. */
  send(span: TraceSpan): void;
  /** Sends what waits, for at most 2 s. */
  close(): Promise<void>;
}

export interface TracingParts {
  readonly metrics: Pick<Metrics, 'traceSpansDropped'>;
  readonly log: Logger;
}

/**
 * Opens the traces of runs; undefined without settings. The packages that send them are loaded only here, because they
 * are large; `ends` sends what waits at the end.
 */
export async function openTracing(
  settings: TracingSettings | undefined,
  parts: TracingParts,
  ends: AsyncDisposableStack,
): Promise<RunTraces | undefined> {
  if (settings === undefined) return undefined;
  const { openSpanSender } = await import('./span-sender.ts');
  const sender = await openSpanSender(settings, parts);
  ends.defer(async () => sender.close());
  const { protocol, shown: endpoint } = settings;
  parts.log.info({ endpoint, protocol }, 'traces of runs are sent');
  return runTraces({ send: (span) => sender.send(span), now: wallMs });
}

/** With a fraction: runs of warm hooks take less than a millisecond. */
function wallMs(): number {
  return performance.timeOrigin + performance.now();
}
