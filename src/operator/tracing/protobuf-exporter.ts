import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { ExporterTarget } from './span-sender.ts';

/** Sends spans as OTLP over HTTP, in Protocol Buffers. */
export function createExporter({ url, authorization }: ExporterTarget): SpanExporter {
  return new OTLPTraceExporter({
    ...(url !== undefined && { url }),
    ...(authorization !== undefined && { headers: { authorization } }),
  });
}
