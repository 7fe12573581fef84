import type { WarmRequest } from './warm-protocol.ts';
import { readCount, readFields, readOneOf, readText } from './wire-reader.ts';

/** Validates a request of the operator to a warm process; throws an error that names the problem. */
export function readRequest(value: unknown): WarmRequest {
  const fields = readFields(value);
  const type = readOneOf(fields, 'type', ['run', 'abort'] as const);
  const id = readCount(fields, 'id');
  if (type === 'abort') return { type, id };
  const traced = fields['traceparent'] === undefined ? {} : { traceparent: readText(fields, 'traceparent') };
  return { type, id, runId: readText(fields, 'runId'), bytes: readCount(fields, 'bytes'), ...traced };
}
