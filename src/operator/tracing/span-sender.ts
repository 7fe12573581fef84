import { SpanKind, SpanStatusCode, TraceFlags, type HrTime, type SpanContext } from '@opentelemetry/api';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace';
import { sleep } from '../../lib/sleep.ts';
import type { TraceSpan } from '../../run/run-traces.ts';
import { boundedExporter } from './bounded-exporter.ts';
import type { SpanSender, TracingParts, TracingSettings } from './open-tracing.ts';
import type { OtlpProtocol } from './otlp-settings.ts';

const MAX_WAITING = 2048;
const BATCH = 512;
const DELAY_MS = 2000;
const CLOSE_LIMIT_MS = 2000;

/**
 * Opens the sender of spans, with the packages of OpenTelemetry. Spans wait in a bounded queue and are sent in batches;
 * whatever the collector does, `send` takes no time, and nothing waits longer than its limit. What cannot be sent is
 * dropped and counted.
 */
export async function openSpanSender(settings: TracingSettings, { metrics, log }: TracingParts): Promise<SpanSender> {
  const own = resourceFromAttributes({ ...settings.resource });
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
  let waiting = 0;
  const exporter = boundedExporter(await openExporter(settings), {
    onSettled: (count, error) => {
      waiting -= count;
      if (error !== undefined) metrics.traceSpansDropped.inc({}, count);
    },
    endpoint: settings.shown,
    log,
  });
  const options = { maxQueueSize: MAX_WAITING, maxExportBatchSize: BATCH, scheduledDelayMillis: DELAY_MS };
  const processor = new BatchSpanProcessor({ exporter, ...options });
  return {
    send(span) {
      if (waiting >= MAX_WAITING) {
        metrics.traceSpansDropped.inc({});
        return;
      }
      waiting += 1;
      processor.onEnd(readableSpan(span, resource));
    },
    async close() {
      const limit = new AbortController();
      // What cannot be sent was logged by the exporter.
      const closed = processor.shutdown().catch(() => {});
      await Promise.race([closed, sleep(CLOSE_LIMIT_MS, limit.signal)]);
      limit.abort();
      const { shown: endpoint } = settings;
      if (waiting > 0) log.warn({ endpoint, spans: waiting }, 'traces were not sent before the end');
    },
  };
}

async function openExporter({ protocol, url, authorization }: TracingSettings): Promise<SpanExporter> {
  const { createExporter } = await EXPORTERS[protocol]();
  return createExporter({ url, authorization });
}

/** What the modules of the exporters have. */
interface ExporterModule {
  readonly createExporter: (target: ExporterTarget) => SpanExporter;
}

/** What is undefined the exporter takes from its standard variables. */
export interface ExporterTarget {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
}

const EXPORTERS: Readonly<Record<OtlpProtocol, () => Promise<ExporterModule>>> = {
  grpc: async () => import('./grpc-exporter.ts'),
  'http/protobuf': async () => import('./protobuf-exporter.ts'),
  'http/json': async () => import('./json-exporter.ts'),
};

function readableSpan(span: TraceSpan, resource: ReadableSpan['resource']): ReadableSpan {
  const { traceId, spanId, parentId, name, startMs, endMs, attributes, moments = [], error } = span;
  const context = (id: string): SpanContext => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
  const own = context(spanId);
  return {
    name,
    kind: SpanKind.INTERNAL,
    spanContext: () => own,
    ...(parentId !== undefined && { parentSpanContext: context(parentId) }),
    startTime: hrTime(startMs),
    endTime: hrTime(endMs),
    duration: hrTime(Math.max(0, endMs - startMs)),
    status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    attributes,
    links: [],
    events: moments.map((moment) => ({ name: moment.name, time: hrTime(moment.atMs) })),
    ended: true,
    resource,
    instrumentationScope: { name: 'hooklet' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function hrTime(ms: number): HrTime {
  const seconds = Math.trunc(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
