import { AsyncLocalStorage } from 'node:async_hooks';
import type { KubeClient } from '../../kube/client.ts';
import { aborted } from '../../lib/aborted.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Run } from '../../run/run.ts';
import { dryChangeOf, type DryChange } from './dry-change.ts';
import { dryRunClient, type DryWrite } from './dry-client.ts';
import { Shadow } from './shadow.ts';

/** Nothing is changed: what hooks ask is tried by the API server and told. */
export interface DryRunSettings {
  /** Compare with what another version has done after this time; absent: it is not compared. */
  readonly shadowAfterMs?: number;
  /** Gets each change once; default: it is logged. */
  readonly onChange?: (change: DryChange) => void;
}

export interface DryRunParts {
  readonly settings: DryRunSettings;
  readonly metrics: Pick<Metrics, 'shadowDifferences'>;
  readonly log: Logger;
}

const MAX_TOLD = 10_000;
/** Of what is written outside of a run. */
const NO_HOOK = 'hooklet';

/** The dry run of an operator: wraps its client, and tells each change once. */
export class DryRun {
  readonly #parts: DryRunParts;
  readonly #hook = new AsyncLocalStorage<string>();
  /** What was told last, by hook and object. */
  readonly #told = new Map<string, string>();
  #shadow: Shadow | undefined;

  constructor(parts: DryRunParts) {
    this.#parts = parts;
  }

  /** The client whose writes are dry runs. */
  wrap(client: KubeClient): KubeClient {
    const { settings, metrics, log } = this.#parts;
    const { shadowAfterMs: afterMs } = settings;
    const dry = dryRunClient(client, (write) => this.#wrote(write));
    if (afterMs === undefined) return dry;
    const shadow = new Shadow({ afterMs, client, metrics, now: Date.now, log });
    this.#shadow = shadow;
    return { ...dry, lines: (request, options) => shadow.tap(request, dry.lines(request, options)) };
  }

  /** Runs the work of a run; what is written meanwhile is the hook's. */
  readonly around = async <T>({ task }: Run, work: () => Promise<T>): Promise<T> =>
    this.#hook.run(task.hook.name, work);

  /** Says at the start what a dry run cannot stop; compares, as a shadow, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.#parts;
    log.warn(
      { env: 'HOOKLET_DRY_RUN=1' },
      'dry run: what hooklet writes for hooks is only tried; what hooks do by themselves, such as with kubectl, is NOT stopped: they must look at HOOKLET_DRY_RUN',
    );
    await (this.#shadow?.run(signal) ?? aborted(signal));
  }

  #wrote(write: DryWrite): void {
    const { settings, log } = this.#parts;
    const hook = this.#hook.getStore() ?? NO_HOOK;
    this.#shadow?.expect(hook, write);
    const change = dryChangeOf(hook, write);
    if (change === undefined || !this.#isNews(change)) return;
    if (settings.onChange !== undefined) settings.onChange(change);
    else log.info({ ...change }, 'dry run: would change');
  }

  #isNews(change: DryChange): boolean {
    const key = JSON.stringify([change.hook, change.object]);
    const text = JSON.stringify(change);
    if (this.#told.get(key) === text) return false;
    const [oldest] = this.#told.keys();
    if (this.#told.size >= MAX_TOLD && oldest !== undefined) this.#told.delete(oldest);
    this.#told.set(key, text);
    return true;
  }
}
