import { createHash } from 'node:crypto';

const MAX_NAME = 24;

/**
 * The id of the run of a tick: whoever sees this tick gives it this id. It can be a file name, and the name of a
 * Kubernetes object such as a Job.
 */
export function runIdOf(hook: string, binding: string, scheduledAtMs: number): string {
  const name = binding
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replaceAll(/^-+|-+$/g, '');
  const time = new Date(scheduledAtMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${name === '' ? 'run' : name}-${shortHash(hook, binding)}-${time.toLowerCase()}`;
}

/** Tells apart what the readable part of a name does not; eight hexadecimal digits. */
export function shortHash(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 8);
}
