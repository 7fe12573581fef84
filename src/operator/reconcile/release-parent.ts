import { removeFinalizer } from '../../effects/finalizer.ts';
import type { ReconcileBinding } from '../../hook/binding.ts';
import { finalizerOf } from '../../hook/reconcile-mark.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import type { LeftParent } from '../../sources/reconcile/left-parents.ts';
import type { ClusterAccess } from '../cluster-access.ts';

const TRIES = 5;
const RETRY_MS = 5000;

/**
 * Creates the function that takes the finalizer of a binding off objects that it does not select any more, so that they
 * can be deleted. Their children stay as they are: that an object is not selected says nothing about them. It never
 * rejects: what fails five times is a warning.
 */
export function createParentRelease(
  { client, kinds }: Pick<ClusterAccess, 'client' | 'kinds'>,
  log: Logger,
): (binding: ReconcileBinding, parent: LeftParent, signal: AbortSignal) => Promise<void> {
  return async (binding, parent, signal) => {
    const { apiVersion = 'v1', kind, name: bindingName } = binding;
    const { namespace, name } = parent;
    const finalizer = finalizerOf(binding);
    const fields = { binding: bindingName, kind, namespace, name };
    for (let tries = 1; !signal.aborted; tries += 1) {
      try {
        await removeFinalizer({ apiVersion, kind, ...parent }, finalizer, { client, kinds, signal });
        log.info(fields, 'object is not selected any more: its finalizer is removed, its children stay as they are');
        return;
      } catch (err) {
        if (signal.aborted) break;
        if (tries < TRIES) await sleep(RETRY_MS, signal);
        else {
          log.warn({ ...fields, finalizer, err }, 'object is not selected any more, and its finalizer stays on it');
          return;
        }
      }
    }
    log.warn(
      { ...fields, finalizer },
      'object is not selected any more, and its finalizer stays on it: no time is left',
    );
  };
}
