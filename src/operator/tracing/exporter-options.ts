import type { ExporterTarget } from './span-sender.ts';

/** The options that the exporters of OpenTelemetry over HTTP have in common. */
export function exporterOptions({ url, authorization }: ExporterTarget): {
  readonly url?: string;
  readonly headers?: Record<string, string>;
} {
  return {
    ...(url !== undefined && { url }),
    ...(authorization !== undefined && { headers: { authorization } }),
  };
}
