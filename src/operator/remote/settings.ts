/** Where other Pods get their runs, as the flags of `start` say it. */
export interface PortSettings {
  readonly listenPort: number;
  readonly listenAddress: string;
  /** The headless Service of all replicas. */
  readonly serviceName: string;
  /** Where Pods reach replicas in place of the Service, each an origin such as `https://host:9682`; empty: at the Service. */
  readonly urls: readonly string[];
  /** How long the certificates that hooklet makes are valid. */
  readonly authorityMs: number;
  readonly leafMs: number;
}

/** What Jobs are made of, and what holds them back. */
export interface JobsSettings {
  /** Empty: the image of the operator's own container. */
  readonly image: string;
  /** Jobs at the same time. */
  readonly maxAtOnce: number;
  /** Jobs that begin in a second. */
  readonly maxPerSecond: number;
}

/** Which Pods are workers, and how long one may be silent. */
export interface WorkersSettings {
  /** Their ServiceAccounts, each with the namespace; absent there: that of hooklet. */
  readonly accounts: readonly WorkersAccount[];
  /** After so long without a word a worker counts as lost, and has ended its hooks. */
  readonly silenceMs: number;
  /** The version of hooklet, which a worker must have too. */
  readonly version: string;
}

export interface WorkersAccount {
  readonly namespace?: string;
  readonly name: string;
}

/** How runs are executed in other Pods. */
export interface RemoteSettings extends PortSettings, JobsSettings {
  readonly workers: WorkersSettings;
}
