/** How runs that are Jobs reach the operator, and what holds them back, as the flags of `start` say it. */
export interface JobsSettings {
  readonly listenPort: number;
  readonly listenAddress: string;
  /** The headless Service of all replicas. */
  readonly serviceName: string;
  /** Where Pods reach replicas in place of the Service, each an origin such as `https://host:9682`; empty: at the Service. */
  readonly urls: readonly string[];
  /** Empty: the image of the operator's own container. */
  readonly image: string;
  /** How long the certificates that hooklet makes are valid. */
  readonly authorityMs: number;
  readonly leafMs: number;
  /** Jobs at the same time. */
  readonly maxAtOnce: number;
  /** Jobs that begin in a second. */
  readonly maxPerSecond: number;
}
