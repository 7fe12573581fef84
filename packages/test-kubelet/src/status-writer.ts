import type { V1Pod } from '@kubernetes/client-node';
import { sleep } from '../../../src/lib/sleep.ts';
import { at, isOutdated, type Api } from './api.ts';
import { podStatus, type Condition, type PodRecord } from './pod-status.ts';

const RETRY_MS = 200;

/**
 * Writes the status of a pod to the API server after each change, one write at a time, each repeated until it succeeds.
 */
export class StatusWriter {
  readonly #api: Pick<Api, 'patch'>;
  readonly #pod: V1Pod;
  readonly #read: () => PodRecord;
  readonly #signal: AbortSignal;
  #conditions: readonly Condition[] = [];
  #written = '';
  #isDue = false;
  #writing: Promise<void> | undefined;

  constructor(api: Pick<Api, 'patch'>, pod: V1Pod, read: () => PodRecord, signal: AbortSignal) {
    this.#api = api;
    this.#pod = pod;
    this.#read = read;
    this.#signal = signal;
  }

  /** Must be called after each change of the record. */
  changed(): void {
    this.#isDue = true;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
      // Changes since the writer last read the record.
      if (this.#isDue && !this.#signal.aborted) this.changed();
    });
  }

  /** Returns when the last change has been written. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  async #write(): Promise<void> {
    const { name = '', namespace = '', uid } = this.#pod.metadata ?? {};
    while (this.#isDue && !this.#signal.aborted) {
      this.#isDue = false;
      const status = podStatus(this.#read(), this.#conditions, new Date().toISOString().replace(/\.\d+Z$/, 'Z'));
      this.#conditions = status.conditions;
      const text = JSON.stringify(status);
      if (text === this.#written) continue;
      try {
        await this.#api.patch(at(namespace, 'pods', name, 'status'), { metadata: { uid }, status });
        this.#written = text;
      } catch (error) {
        // The pod is gone, so there is no status to write.
        if (isOutdated(error)) return;
        this.#isDue = true;
        await sleep(RETRY_MS, this.#signal);
      }
    }
  }
}
