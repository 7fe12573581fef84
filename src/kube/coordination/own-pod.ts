import { UsageError } from '../../errors.ts';
import { pathSegmentProblem } from '../../lib/path-segment.ts';
import { shown } from '../../lib/shown.ts';
import type { Environment } from '../environment.ts';

/** The Pod this process runs in, as the downward API told it. */
export interface OwnPod {
  readonly name: string;
  readonly namespace: string;
  /** Without it an Event about the Pod is not in `kubectl describe pod`. */
  readonly uid?: string;
}

/** The Pod that POD_NAME, POD_NAMESPACE and POD_UID name; undefined without POD_NAME. */
export function ownPod(env: Environment, contextNamespace: string | undefined): OwnPod | undefined {
  const { POD_NAME: name = '', POD_UID: uid = '' } = env;
  if (name === '') return undefined;
  requireName('POD_NAME', name);
  return { name, namespace: ownNamespace(env, contextNamespace), ...(uid !== '' && { uid }) };
}

/** The namespace of what hooklet keeps for itself: POD_NAMESPACE, else that of the service account or the kubeconfig context. */
export function ownNamespace({ POD_NAMESPACE: given = '' }: Environment, contextNamespace: string | undefined): string {
  if (given === '') return contextNamespace ?? 'default';
  requireName('POD_NAMESPACE', given);
  return given;
}

/** What the environment names stands in the paths of requests. */
function requireName(variable: string, name: string): void {
  const problem = pathSegmentProblem(name);
  if (problem !== undefined) throw new UsageError(`${variable}: got ${shown(name)}, which ${problem}`);
}
