import type { Etcd } from './etcd.ts';
import type { Kubernetes } from './kubernetes.ts';
import type { Facts } from './facts.ts';
import type { Outcome } from './outcome.ts';
import type { RepairRecord } from './record.ts';
import type { Settings } from './settings.ts';
import type { PodMember } from './view.ts';

/** One run: its facts, and its outcome. */
export interface Turn {
  readonly settings: Settings;
  readonly etcd: Etcd;
  readonly kubernetes: Kubernetes;
  readonly facts: Facts;
  readonly outcome: Outcome;
}

/** A run that continues a repair. */
export interface Repair extends Turn {
  readonly record: RepairRecord;
  readonly target: PodMember;
}
