import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { exporterOptions } from './exporter-options.ts';
import type { ExporterTarget } from './span-sender.ts';

/** Sends spans as OTLP over HTTP, in JSON. */
export function createExporter(target: ExporterTarget): SpanExporter {
  return new OTLPTraceExporter(exporterOptions(target));
}
