import { shortHash } from '../lib/short-hash.ts';

const MAX_NAME = 100;

/** Returns a key for these names together: readable, valid in a ConfigMap, and unique to them. */
export function recordKey(...names: readonly string[]): string {
  const readable = names
    .join('.')
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, MAX_NAME);
  return `${readable}-${shortHash(...names)}`;
}
