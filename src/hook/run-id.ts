import { dnsLabel } from '../lib/dns-label.ts';
import { shortHash } from '../lib/short-hash.ts';

const MAX_NAME = 24;

/**
 * The id of the run of a tick. It depends only on hook, binding and time, so every replica gives a tick the same id. It
 * is valid as a file name and as the name of a Kubernetes object such as a Job.
 */
export function runIdOf(hook: string, binding: string, scheduledAtMs: number): string {
  const name = dnsLabel(binding, MAX_NAME);
  const time = new Date(scheduledAtMs).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `${name === '' ? 'run' : name}-${shortHash(hook, binding)}-${time.toLowerCase()}`;
}
