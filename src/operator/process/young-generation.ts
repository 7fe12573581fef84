import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the young generation of the heap at its size at the start. V8 would let it grow to 128 MB and keep it there:
 * reading objects creates much garbage, and next to nothing of it survives a collection, so a small space is enough.
 */
export function keepYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
