import { expect } from 'vitest';

import type { KubeObject } from '../../src/kube/object.ts';
import type { WatchSubscriber } from '../../src/kube/watch/shared-watch.ts';
import type { ObjectRecord, StoreChange } from '../../src/kube/watch/store.ts';

/** Maintains a view from the calls it receives, and fails at impossible ones, such as objects that it does not want. */
export class ObjectsView implements WatchSubscriber {
  readonly keepsObjects = false;
  readonly #known = new Map<string, ObjectRecord>();
  readonly #buried = new Set<string>();
  readonly #wants: (record: ObjectRecord) => boolean;
  #listed: ObjectRecord[] = [];

  constructor(wants: (record: ObjectRecord) => boolean = () => true) {
    this.#wants = wants;
  }

  get objects(): readonly string[] {
    return [...this.#known.values()]
      .map(({ name, uid, resourceVersion }) => `${name}:${uid}@${resourceVersion}`)
      .toSorted();
  }

  listStarted(): void {
    this.#listed = [];
  }

  listed(record: ObjectRecord, object: KubeObject): void {
    expect(record).toMatchObject({ name: object.name, uid: object.uid, resourceVersion: object.resourceVersion });
    this.#listed.push(record);
  }

  listDone(gone: readonly ObjectRecord[]): void {
    for (const record of gone) this.#bury(record);
    for (const record of this.#listed) this.#meet(record);
  }

  changed({ type, record }: StoreChange): void {
    expect(type === 'Added').toBe(!this.#known.has(record.name));
    if (type === 'Deleted') this.#bury(record);
    else this.#meet(record);
  }

  failed(): void {}

  recovered(): void {}

  #meet(record: ObjectRecord): void {
    expect(this.#wants(record)).toBe(true);
    const known = this.#known.get(record.name);
    if (known !== undefined) {
      expect(known.uid).toBe(record.uid);
      expect(Number(record.resourceVersion)).toBeGreaterThan(Number(known.resourceVersion));
    }
    expect(this.#buried).not.toContain(record.uid);
    this.#known.set(record.name, record);
  }

  #bury({ name, uid }: ObjectRecord): void {
    expect(this.#known.get(name)?.uid).toBe(uid);
    this.#known.delete(name);
    this.#buried.add(uid);
  }
}
