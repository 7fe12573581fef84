import { isObject } from '../lib/json-object.ts';
import { JOB_CONTAINERS } from './job-desk.ts';
import type { JobRule } from './job-rule.ts';

/**
 * Such as `executor job of postgres:17 with a sidecar in db up to 4Gi of memory`: that runs are Jobs, and what differs from
 * the default.
 */
export function describeExecutor(rule: JobRule): string {
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

/** What to know where the file of a hook runs on the spot, and not as the Job that it is in a cluster. */
export function localRunNote({ image }: JobRule): string {
  return `in a cluster this is a Job of ${image ?? 'the image of the operator'}; here the file itself runs`;
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
