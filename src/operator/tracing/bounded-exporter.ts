import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../../log.ts';

type ResultCallback = Parameters<SpanExporter['export']>[1];

/** Longer than the timeout of the exporter itself, which is 10 s unless a variable says otherwise. */
const LIMIT_MS = 20_000;
const SUCCESS = 0;
const FAILED = 1;

export interface BoundedExporterOptions {
  /** Called once for each batch, with the error if it was not sent. */
  readonly onSettled: (spans: number, error: Error | undefined) => void;
  /** For the log. */
  readonly endpoint: string;
  readonly log: Logger;
  /** Default 20 s. */
  readonly limitMs?: number;
}

/**
 * An exporter whose every batch ends: with the answer of `exporter`, or as failed at the limit. It logs when sending
 * begins to fail and when it works again, not each failure.
 */
export function boundedExporter(exporter: SpanExporter, options: BoundedExporterOptions): SpanExporter {
  const { onSettled, endpoint, log, limitMs = LIMIT_MS } = options;
  let isFailing = false;
  const report = (error: Error | undefined): void => {
    if (error !== undefined && !isFailing) log.warn({ endpoint, err: error }, 'traces cannot be sent');
    if (error === undefined && isFailing) log.info({ endpoint }, 'traces are sent again');
    isFailing = error !== undefined;
  };
  return {
    export(spans: ReadableSpan[], callback: ResultCallback) {
      let isSettled = false;
      const settle = (error: Error | undefined): void => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        report(error);
        onSettled(spans.length, error);
        callback(error === undefined ? { code: SUCCESS } : { code: FAILED, error });
      };
      const timer = setTimeout(() => settle(new Error(`no answer within ${limitMs / 1000} s`)), limitMs).unref();
      try {
        exporter.export(spans, ({ code, error }) => {
          settle(code === SUCCESS ? undefined : (error ?? new Error('the collector refused the spans')));
        });
      } catch (error) {
        settle(error instanceof Error ? error : new Error(String(error)));
      }
    },
    shutdown: async () => exporter.shutdown(),
  };
}
