import type { WarmRequest } from './warm-protocol.ts';
import { readCount, readFields, readOneOf } from './wire-reader.ts';

/** Checks what the operator asks of a warm process; throws what is wrong with it. */
export function readRequest(value: unknown): WarmRequest {
  const fields = readFields(value);
  const type = readOneOf(fields, 'type', ['run', 'abort'] as const);
  const id = readCount(fields, 'id');
  return type === 'abort' ? { type, id } : { type, id, bytes: readCount(fields, 'bytes') };
}
