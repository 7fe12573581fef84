import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { exporterOptions } from './exporter-options.ts';
import type { ExporterTarget } from './span-sender.ts';

/** Sends spans as OTLP over HTTP, in Protocol Buffers. */
export function createExporter(target: ExporterTarget): SpanExporter {
  return new OTLPTraceExporter(exporterOptions(target));
}
