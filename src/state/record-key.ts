import { shortHash } from '../lib/short-hash.ts';

const MAX_NAME = 100;

/** The key of what these names stand for together: readable, allowed in a ConfigMap, and that of no other names. */
export function recordKey(...names: readonly string[]): string {
  const readable = names
    .join('.')
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, MAX_NAME);
  return `${readable}-${shortHash(...names)}`;
}
