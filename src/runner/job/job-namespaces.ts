import type { Watches } from '../../kube/watch/shared-watches.ts';
import { JobNamespace, type NamespaceListener } from './job-namespace.ts';
import type { JobState } from './job-state.ts';
import type { LiveRun } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import type { SeenPod } from './pod-state.ts';

export interface JobNamespacesOptions {
  readonly watches: Watches;
  readonly installation: string;
  readonly runs: LiveRuns;
  /** Called with a Job of which no run is known, in the first list and at each change. */
  readonly onFound: (job: JobState, pods: readonly SeenPod[]) => void;
}

/** The namespaces in which Jobs are followed; what is seen of a run is told to it. */
export class JobNamespaces {
  readonly #options: JobNamespacesOptions;
  readonly #open = new Map<string, JobNamespace>();

  constructor(options: JobNamespacesOptions) {
    this.#options = options;
  }

  /** Why one is not followed, in words; undefined where all are. */
  get problem(): string | undefined {
    const found = [...this.#open.values()].find(({ problem }) => problem !== undefined);
    return found && `the Jobs in the namespace ${found.name} cannot be watched: ${found.problem}`;
  }

  get(name: string): JobNamespace | undefined {
    return this.#open.get(name);
  }

  /** Returns the namespace, which is followed from now on. */
  open(name: string): JobNamespace {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const opened: JobNamespace = new JobNamespace(name, this.#options, this.#listener(name));
    this.#open.set(name, opened);
    return opened;
  }

  /** Tells a run what was seen before its uid was known. */
  catchUp(run: LiveRun): void {
    const namespace = this.#open.get(run.namespace);
    const job = namespace?.job(run.job);
    if (job !== undefined) run.sawJob(job);
    for (const pod of namespace?.podsOf(run.uid ?? '') ?? []) run.sawPod(pod);
  }

  end(): void {
    for (const one of this.#open.values()) one.end();
    this.#open.clear();
  }

  #listener(name: string): NamespaceListener {
    const { runs } = this.#options;
    const runOf = ({ job }: SeenPod): LiveRun | undefined => {
      const run = runs.find(name, job?.name ?? '');
      return run !== undefined && run.uid === job?.uid ? run : undefined;
    };
    return {
      listed: () => {
        for (const job of this.get(name)?.jobs ?? []) this.#sawJob(job);
      },
      sawJob: (job) => {
        if (this.get(name)?.isListed === true) this.#sawJob(job);
      },
      jobGone: (job) => {
        const run = runs.find(name, job.name);
        if (run?.uid === job.uid) run.sawJob(undefined);
      },
      sawPod: (pod) => runOf(pod)?.sawPod(pod),
      podGone: (pod) => runOf(pod)?.podGone(pod.uid),
    };
  }

  #sawJob(job: JobState): void {
    const { runs, onFound } = this.#options;
    const run = runs.find(job.namespace, job.name);
    if (run === undefined) onFound(job, this.get(job.namespace)?.podsOf(job.uid) ?? []);
    else run.sawJob(job);
  }
}
