import { latch } from '../../lib/latch.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import type { Watches } from '../../kube/watch/shared-watches.ts';
import { FollowedObjects } from './followed-objects.ts';
import { JOB_LABELS } from './job-facts.ts';
import { jobState, type JobState } from './job-state.ts';
import { seenPod, type SeenPod } from './pod-state.ts';

/** What is told of the Jobs and Pods of a namespace. */
export interface NamespaceListener {
  /** Both first lists are complete; all that they have was not told. */
  readonly listed: () => void;
  readonly sawJob: (job: JobState) => void;
  readonly jobGone: (job: JobState) => void;
  readonly sawPod: (pod: SeenPod) => void;
  readonly podGone: (pod: SeenPod) => void;
}

/** The Jobs of this installation in one namespace, with their Pods, as two watches show them. */
export class JobNamespace {
  readonly name: string;
  readonly #jobs: FollowedObjects<JobState>;
  readonly #pods: FollowedObjects<SeenPod>;
  readonly #byJob = new Map<string, Map<string, SeenPod>>();
  readonly #ready = latch();
  readonly #listener: NamespaceListener;

  constructor(
    name: string,
    { watches, installation }: { readonly watches: Watches; readonly installation: string },
    listener: NamespaceListener,
  ) {
    this.name = name;
    this.#listener = listener;
    const target = { namespace: name, labelSelector: `${JOB_LABELS.installation}=${installation}` };
    const onListed = (): void => this.#listed();
    this.#jobs = new FollowedObjects(
      watches,
      { kind: JOB, ...target },
      { read: jobState, onListed, onSeen: listener.sawJob, onGone: listener.jobGone },
    );
    this.#pods = new FollowedObjects(
      watches,
      { kind: POD, ...target },
      {
        read: (object) => this.#withJob(seenPod(object)),
        onListed,
        onSeen: (pod) => {
          this.#index(pod);
          listener.sawPod(pod);
        },
        onGone: (pod) => {
          this.#forget(pod);
          listener.podGone(pod);
        },
      },
    );
  }

  /** Whether both lists are complete, so that what is not known here is not there. */
  get isListed(): boolean {
    return this.#jobs.isListed && this.#pods.isListed;
  }

  get problem(): string | undefined {
    return this.#jobs.problem ?? this.#pods.problem;
  }

  get jobs(): Iterable<JobState> {
    return this.#jobs.all;
  }

  get pods(): Iterable<SeenPod> {
    return this.#pods.all;
  }

  /** Resolves when both lists are complete, and the listener has been told. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  job(name: string): JobState | undefined {
    return this.#jobs.get(name);
  }

  podsOf(jobUid: string): readonly SeenPod[] {
    return [...(this.#byJob.get(jobUid)?.values() ?? [])];
  }

  end(): void {
    this.#jobs.end();
    this.#pods.end();
  }

  #listed(): void {
    if (!this.isListed) return;
    for (const pod of this.#pods.all) this.#index(pod);
    this.#listener.listed();
    this.#ready.resolve();
  }

  /** A Pod that was left alone when its Job was deleted still has the run. */
  #withJob(pod: SeenPod): SeenPod {
    const known = this.#pods.get(pod.name);
    return pod.job === undefined && known?.uid === pod.uid ? { ...pod, job: known.job } : pod;
  }

  #index(pod: SeenPod): void {
    if (pod.job === undefined) return;
    const pods = this.#byJob.get(pod.job.uid) ?? new Map<string, SeenPod>();
    this.#byJob.set(pod.job.uid, pods.set(pod.uid, pod));
  }

  #forget({ uid, job }: SeenPod): void {
    const pods = this.#byJob.get(job?.uid ?? '');
    pods?.delete(uid);
    if (job !== undefined && pods?.size === 0) this.#byJob.delete(job.uid);
  }
}

const JOB: ResourceKind = {
  group: 'batch',
  version: 'v1',
  apiVersion: 'batch/v1',
  kind: 'Job',
  plural: 'jobs',
  singular: 'job',
  shortNames: [],
  isNamespaced: true,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'],
  subresources: ['status'],
};

const POD: ResourceKind = {
  ...JOB,
  group: '',
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  singular: 'pod',
  shortNames: ['po'],
  subresources: ['log', 'status'],
};
