import { KindNotFoundError } from '../../src/errors.ts';
import type { CompiledFilter } from '../../src/filter/compiled-filter.ts';
import type { KubernetesBinding } from '../../src/hook/binding.ts';
import type { SnapshotItem } from '../../src/hook/trigger.ts';
import type { Kinds, ResourceKind } from '../../src/kube/kind.ts';
import { createWatches } from '../../src/kube/watch/shared-watches.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createMonitor } from '../../src/sources/kubernetes/monitor.ts';
import { bookmark, CONFIG_MAP, watchLine, type ObjectSpec } from './kube-objects.ts';
import { kubernetesBinding } from './bindings.ts';
import { recordingLogger } from './recording-logger.ts';
import { scriptedKubeClient, type ScriptedCall } from './scripted-kube-client.ts';

export interface MonitorRigOptions {
  readonly binding?: Partial<KubernetesBinding>;
  readonly filter?: CompiledFilter;
  /** The kinds that discovery initially knows. */
  readonly kinds?: readonly ResourceKind[];
}

export type MonitorRig = ReturnType<typeof monitorRig>;

/** A running monitor on a scripted client; its reports are recorded in `told`. */
export function monitorRig({ binding: fields = {}, filter, kinds = [CONFIG_MAP] }: MonitorRigOptions = {}) {
  const client = scriptedKubeClient();
  const metrics = createMetrics('');
  const log = recordingLogger();
  const discovery = new Map(kinds.map((kind) => [kind.kind, kind]));
  const watches = createWatches({ client, kinds: { invalidate: () => {} }, log, metrics, random: () => 0 });
  const told: string[] = [];
  const items: SnapshotItem[] = [];
  const binding = kubernetesBinding('kubernetes', { kind: 'ConfigMap', ...fields });
  const monitor = createMonitor(binding, {
    hook: 'hook.sh',
    watches,
    kinds: { resolve: async ({ kind }) => findKind(discovery, kind), invalidate: () => {} },
    ...(filter === undefined ? {} : { filter }),
    log,
    metrics,
    listener: {
      synced: () => {
        told.push('synced');
      },
      event: ({ watchEvent, item }) => {
        told.push(`${watchEvent} ${item.namespace}/${item.name}`);
        items.push(item);
      },
      problem: (error) => {
        told.push(`problem ${error instanceof Error ? error.message : String(error)}`);
      },
    },
  });
  const controller = new AbortController();
  const ended = monitor.run(controller.signal);
  return {
    client,
    discovery,
    items,
    log,
    metrics,
    monitor,
    told,
    /** The current snapshot. */
    names: () => monitor.snapshot().map(({ namespace, name }) => `${namespace}/${name}`),
    /** Ends the monitor, and waits until its watches are closed. */
    async stop() {
      controller.abort();
      await ended;
      await watches.ended();
    },
  };
}

/** Answers a streamed list with `specs` in version 10. */
export function answerList(call: ScriptedCall, ...specs: readonly ObjectSpec[]): void {
  call.send(...specs.map((spec) => watchLine('ADDED', spec)), bookmark(10, { isInitialEventsEnd: true }));
}

/** Waits until all that is due now has happened. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}

function findKind(discovery: ReadonlyMap<string, ResourceKind>, name: string): Awaited<ReturnType<Kinds['resolve']>> {
  const kind = discovery.get(name);
  if (kind === undefined) throw new KindNotFoundError(`no kind ${name}`);
  return kind;
}
