import { shortHash } from '../lib/short-hash.ts';

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
