import type { JsonObject } from '../lib/json-object.ts';

/** Where the runs of a hook are executed when it is not in the Pod of the operator: each in a Job of its own. */
export interface JobRule {
  readonly type: 'job';
  /** Absent: the image of the operator's own container. */
  readonly image?: string;
  /**
   * `image`: the image has hooklet and the hook in it, as one that is built from hooklet's has. `sidecar`: any image, whose
   * program is the hook; a sidecar with the image of the operator brings its files, and sends back what it wrote.
   */
  readonly agent: 'image' | 'sidecar';
  /** Of the container with the hook; only with `sidecar`, absent: those of the image. */
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  /** Absent: the namespace of hooklet. */
  readonly namespace?: string;
  /** Absent: `default`, of which the Pod gets no token but the one for hooklet. */
  readonly serviceAccountName?: string;
  /** `resources` of the container with the hook. */
  readonly resources?: JsonObject;
  /**
   * Of a PodTemplateSpec, merged into the Pod: maps are merged, lists are put behind those of hooklet, and the container
   * `hook` is the one with the hook. Absent: nothing.
   */
  readonly template?: JsonObject;
  /** Added to the labels and annotations of the Job, such as the queue of Kueue. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The Job is created suspended, and somebody else, such as Kueue, lets it begin. Default false. */
  readonly isSuspended: boolean;
  /** From the creation of the Job, or from when it was let begin, until its Pod has asked for its run. Default 2 min. */
  readonly startTimeoutMs: number;
  /** How long a Job is kept whose run has failed, for `kubectl logs`; 0: not at all. Default 1 h. */
  readonly keepFailedMs: number;
}
