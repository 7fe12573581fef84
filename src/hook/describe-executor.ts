import { isObject } from '../lib/json-object.ts';
import { JOB_CONTAINERS } from './job-desk.ts';
import type { ExecutorRule } from './executor-rule.ts';
import { DEFAULT_POOL } from './executor-rule.ts';
import type { JobRule } from './job-rule.ts';

/**
 * Such as `executor job of postgres:17 with a sidecar in db up to 4Gi of memory`, or `executor workers of the pool gpu`:
 * where runs are executed, and what differs from the default.
 */
export function describeExecutor(rule: ExecutorRule): string {
  if (rule.type === 'job') return describeJob(rule);
  return rule.pool === DEFAULT_POOL ? 'executor workers' : `executor workers of the pool ${rule.pool}`;
}

function describeJob(rule: JobRule): string {
  const { image, agent, namespace, isSuspended } = rule;
  const memory = memoryLimit(rule);
  return [
    'executor job',
    image !== undefined && `of ${image}`,
    agent === 'sidecar' && 'with a sidecar',
    namespace !== undefined && `in ${namespace}`,
    memory !== undefined && `up to ${memory} of memory`,
    isSuspended && 'suspended',
  ]
    .filter(Boolean)
    .join(' ');
}

/** What to know where the file of a hook runs on the spot, and not where it does in a cluster. */
export function localRunNote(rule: ExecutorRule): string {
  const there =
    rule.type === 'job' ? `this is a Job of ${rule.image ?? 'the image of the operator'}` : 'a worker runs this';
  return `in a cluster ${there}; here the file itself runs`;
}

/** That of the container with the hook, in which the template counts. */
function memoryLimit({ resources, template }: JobRule): string | undefined {
  const given = [hookOf(template?.['spec'])?.['resources'], resources].map((one) => {
    const limits = isObject(one) ? one['limits'] : undefined;
    return isObject(limits) ? limits['memory'] : undefined;
  });
  const limit = given.find((one) => typeof one === 'string' || typeof one === 'number');
  return limit === undefined ? undefined : String(limit);
}

function hookOf(spec: unknown): Readonly<Record<string, unknown>> | undefined {
  const containers: unknown = isObject(spec) ? spec['containers'] : undefined;
  if (!Array.isArray(containers)) return undefined;
  return containers.filter(isObject).find(({ name }) => name === JOB_CONTAINERS.hook);
}
