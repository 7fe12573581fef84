type Mapping = Readonly<Record<string, unknown>>;

/** Where the runs of a hook are executed: each in a Job of its own, or by workers, which are Pods that wait for runs. */
export type ExecutorOptions = 'job' | 'workers' | { readonly job: JobOptions } | { readonly workers: WorkersOptions };

/** Which workers execute the runs. */
export interface WorkersOptions {
  /** The one of `hooklet work --pool`; default `default`. */
  readonly pool?: string;
}

/** What the Pod of a run is to be. */
export interface JobOptions {
  /** Default: that of the operator. */
  readonly image?: string;
  /** `image`, the default: the image has hooklet and the hook in it. `sidecar`: any image, whose program is the hook. */
  readonly agent?: 'image' | 'sidecar';
  /** What the image runs, with `sidecar`; default: as the image says. */
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  /** Default: that of hooklet. */
  readonly namespace?: string;
  readonly serviceAccountName?: string;
  readonly resources?: { readonly requests?: Mapping; readonly limits?: Mapping };
  /** Of a PodTemplateSpec, merged into the Pod; the container `hook` is the one with the hook. */
  readonly template?: { readonly metadata?: Mapping; readonly spec?: Mapping };
  /** Of the Job. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The Job is created suspended, for somebody else, such as Kueue, to let it begin; default false. */
  readonly suspend?: boolean;
  /** Until its Pod has asked for the run; default `2m`. */
  readonly startTimeout?: string;
  /** How long a Job is kept whose run failed; default `1h`. */
  readonly keepFailed?: string;
}
