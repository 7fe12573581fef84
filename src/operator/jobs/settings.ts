/** How runs that are Jobs reach the operator, and what holds them back, as the flags of `start` say it. */
export interface JobsSettings {
  readonly listenPort: number;
  readonly listenAddress: string;
  /** The headless Service of all replicas. */
  readonly serviceName: string;
  /** Where Pods reach replicas in place of the Service, with port 0 for the one that is listened on; empty: at the Service. */
  readonly urls: readonly string[];
  /** Empty: the image of the operator's own container. */
  readonly image: string;
  /** Jobs at the same time. */
  readonly maxAtOnce: number;
  /** Jobs that begin in a second. */
  readonly maxPerSecond: number;
}
