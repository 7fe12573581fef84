import { createHash } from 'node:crypto';

/** Tells apart what the readable part of a name does not; eight hexadecimal digits. */
export function shortHash(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 8);
}
