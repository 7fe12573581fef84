import { UsageError } from '../../errors.ts';
import { pathSegmentProblem } from '../../lib/path-segment.ts';
import { shown } from '../../lib/shown.ts';
import type { Environment } from '../environment.ts';

/** The Pod this process runs in, as the downward API reports it. */
export interface OwnPod {
  readonly name: string;
  readonly namespace: string;
  /** `kubectl describe pod` shows only the Events that carry it. */
  readonly uid?: string;
}

/** Returns the Pod that POD_NAME, POD_NAMESPACE and POD_UID name; undefined when POD_NAME is not set. */
export function ownPod(env: Environment, contextNamespace: string | undefined): OwnPod | undefined {
  const { POD_NAME: name = '', POD_UID: uid = '' } = env;
  if (name === '') return undefined;
  requireName('POD_NAME', name);
  return { name, namespace: ownNamespace(env, contextNamespace), ...(uid !== '' && { uid }) };
}

/**
 * The namespace of hooklet's own objects: POD_NAMESPACE, else the namespace of the service account or of the kubeconfig
 * context.
 */
export function ownNamespace({ POD_NAMESPACE: given = '' }: Environment, contextNamespace: string | undefined): string {
  if (given === '') return contextNamespace ?? 'default';
  requireName('POD_NAMESPACE', given);
  return given;
}

/** Names from the environment become segments of request paths. */
function requireName(variable: string, name: string): void {
  const problem = pathSegmentProblem(name);
  if (problem !== undefined) throw new UsageError(`${variable}: got ${shown(name)}, which ${problem}`);
}
