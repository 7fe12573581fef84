import type { Member } from '../../../solutions/etcd-repair/hooks/lib/etcd.ts';
import type { ProcessTls } from './tls.ts';

/** What a member has on its disk. */
export interface Disk {
  memberId?: string;
}

/** A process of etcd with its disk, by the name of its member. */
export interface Process {
  readonly name: string;
  readonly url: string;
  readonly disk: Disk;
  readonly version: string;
  readonly tls: ProcessTls | undefined;
  memberId: string;
  /** Ticks since it began. */
  age: number;
}

export interface StartOptions {
  readonly version: string;
  readonly tls: ProcessTls | undefined;
}

export interface ListEntry extends Member {
  isStarted: boolean;
}

/** What must never happen. */
export class Violation extends Error {}
