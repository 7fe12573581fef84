import { Metadata } from '@grpc/grpc-js';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { ExporterTarget } from './span-sender.ts';

/** Sends spans as OTLP over gRPC. */
export function createExporter({ url, authorization }: ExporterTarget): SpanExporter {
  const metadata = new Metadata();
  if (authorization !== undefined) metadata.set('authorization', authorization);
  return new OTLPTraceExporter({ metadata, ...(url !== undefined && { url }) });
}
