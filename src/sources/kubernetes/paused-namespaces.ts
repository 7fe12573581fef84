import { KubeError } from '../../errors.ts';
import type { KubeObject } from '../../kube/object.ts';
import { policyRuleText } from '../../kube/policy-rule.ts';
import type { WatchSubscriber } from '../../kube/watch/shared-watch.ts';
import type { Watches } from '../../kube/watch/shared-watches.ts';
import type { ObjectRecord, StoreChange } from '../../kube/watch/store.ts';
import { latch } from '../../lib/latch.ts';
import type { Logger } from '../../log.ts';
import { NAMESPACE } from './namespaces.ts';
import { isPauseAnnotated } from './pause-annotation.ts';

export interface PausedNamespacesOptions {
  readonly watches: Watches;
  /** Called with the annotated namespaces whenever they change. */
  readonly onChange: (names: ReadonlySet<string>) => void;
  readonly log: Logger;
}

const RULE = policyRuleText({ apiGroup: '', resource: 'namespaces', verbs: ['list', 'watch'] });

/**
 * The namespaces with the annotation `hooklet.dev/pause`, by a watch of all namespaces that is opened when it is
 * created, and ends with `end`. Without the right to that, it says so once, and no namespace is paused.
 */
export class PausedNamespaces implements WatchSubscriber {
  readonly keepsObjects = false;
  readonly #options: PausedNamespacesOptions;
  readonly #known = latch();
  readonly #end: () => void;
  #names = new Set<string>();
  #hasWarned = false;

  constructor(options: PausedNamespacesOptions) {
    this.#options = options;
    const subscription = options.watches.subscribe({ kind: NAMESPACE }, this);
    this.#end = () => subscription.unsubscribe();
  }

  /** Resolves when the namespaces are known, or cannot be listed. */
  get known(): Promise<void> {
    return this.#known.promise;
  }

  end(): void {
    this.#end();
  }

  listStarted(): void {}

  listed({ name }: ObjectRecord, object: KubeObject): void {
    this.#note(name, isPauseAnnotated(object.value));
  }

  listDone(gone: readonly ObjectRecord[]): void {
    for (const { name } of gone) this.#note(name, false);
    this.#known.resolve();
  }

  changed({ type, record, object }: StoreChange): void {
    this.#note(record.name, type !== 'Deleted' && object !== undefined && isPauseAnnotated(object.value));
  }

  failed(error: unknown): void {
    this.#known.resolve();
    if (this.#hasWarned || !(error instanceof KubeError) || error.status !== 403) return;
    this.#hasWarned = true;
    const advice = `a ClusterRole with the rule ${RULE}`;
    this.#options.log.warn({ err: error, advice }, 'namespaces cannot be watched, so their annotation pauses nothing');
  }

  recovered(): void {}

  #note(name: string, isPaused: boolean): void {
    if (this.#names.has(name) === isPaused) return;
    const names = new Set(this.#names);
    if (isPaused) names.add(name);
    else names.delete(name);
    this.#names = names;
    this.#options.onChange(names);
  }
}
