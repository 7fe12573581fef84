import type { KubernetesBinding } from '../hook/binding.ts';
import type { DebugSnapshot, SnapshotOperations } from '../hook/debug-view.ts';
import type { Monitor } from '../sources/kubernetes/monitor.ts';

/** The part of a monitor that its view shows. */
export type ViewedMonitor = Pick<Monitor, 'snapshot'> & Partial<Pick<Monitor, 'operations'>>;

const NOTHING: SnapshotOperations = { added: 0, deleted: 0, modified: 0, cleaned: 0 };

/** What the debug API shows of the snapshots of a hook. Reading it changes nothing. */
export class SnapshotViews {
  readonly #monitors: ReadonlyMap<KubernetesBinding, ViewedMonitor>;
  #executed: ReadonlyMap<KubernetesBinding, SnapshotOperations> = new Map();

  constructor(monitors: ReadonlyMap<KubernetesBinding, ViewedMonitor>) {
    this.#monitors = monitors;
  }

  /** A run of the hook reads its snapshots now. */
  executed(): void {
    this.#executed = new Map([...this.#monitors].map(([binding, monitor]) => [binding, operationsOf(monitor)]));
  }

  all(): readonly DebugSnapshot[] {
    return [...this.#monitors].map(([binding, monitor]) => {
      const sinceStart = operationsOf(monitor);
      const sinceLastExecution = difference(sinceStart, this.#executed.get(binding) ?? NOTHING);
      return { binding, snapshot: monitor.snapshot(), sinceStart, sinceLastExecution };
    });
  }
}

function operationsOf(monitor: ViewedMonitor): SnapshotOperations {
  return monitor.operations?.() ?? NOTHING;
}

function difference(now: SnapshotOperations, before: SnapshotOperations): SnapshotOperations {
  return {
    added: now.added - before.added,
    deleted: now.deleted - before.deleted,
    modified: now.modified - before.modified,
    cleaned: now.cleaned - before.cleaned,
  };
}
