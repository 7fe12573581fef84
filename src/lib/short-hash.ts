import { createHash } from 'node:crypto';

/** Returns eight hexadecimal digits that distinguish names whose readable parts are equal. */
export function shortHash(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 8);
}
