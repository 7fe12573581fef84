import type { Answer, Kubernetes } from './kubernetes.ts';
import { overused, type Quota } from './quota.ts';

/** An object that is created again: the claim or the Pod of a member. */
export interface Plan {
  readonly plural: 'pods' | 'persistentvolumeclaims';
  readonly object: object;
  /** Whether deleting the old one frees quota. */
  readonly isThere: boolean;
}

export interface Place {
  readonly kubernetes: Pick<Kubernetes, 'dryRun'>;
  readonly namespace: string;
  /** Those of the namespace. */
  readonly quotas: readonly Quota[];
}

/** Whether an object could be created again; `why` is for people. */
export type Making =
  | { readonly is: 'possible' }
  /** A webhook of the cluster cannot be asked without effects. */
  | { readonly is: 'unknown'; readonly why: string }
  | { readonly is: 'refused'; readonly why: string }
  /** The account may not create such objects, so nothing is known. */
  | { readonly is: 'forbidden'; readonly why: string };

/** Asks by a dry run, with admission and quotas; what goes makes room for what comes. Rejects where nothing answers. */
export async function couldBeMade({ kubernetes, namespace, quotas }: Place, plan: Plan): Promise<Making> {
  const { plural, object, isThere } = plan;
  const answer = await kubernetes.dryRun(`/api/v1/namespaces/${namespace}/${plural}`, object);
  const said = refusalIn(answer);
  if (said === undefined) return { is: 'possible' };
  if (said.includes('does not support dry run')) return { is: 'unknown', why: said };
  if (said.includes('cannot create resource')) return { is: 'forbidden', why: said };
  // Unless more is used than there may be.
  const why = said.includes('exceeded quota') && isThere ? overused(quotas, plural) : `${said}.`;
  return why === undefined ? { is: 'possible' } : { is: 'refused', why };
}

/** Why the API server refuses; undefined for success, and for 409, which it returns only after all other checks. */
function refusalIn({ status, body }: Answer): string | undefined {
  if ((status >= 200 && status < 300) || status === 409) return undefined;
  return body.message ?? `the API server answered with ${status}`;
}
