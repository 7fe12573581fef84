import type { Version } from './api.ts';
import type { Sighting } from './sightings.ts';
import { endKey, versionKey } from './writers.ts';

/** The last state of an object that a hook saw. */
interface Known {
  readonly resourceVersion: string;
  readonly isDeleted: boolean;
}

interface HookLedger {
  generation: number;
  readonly objects: Map<string, Known>;
  /** When each version, or the end of an object, was seen first. */
  readonly firstSeenAtMs: Map<string, number>;
}

/** Everything that the hooks saw, and the violations found in it. */
export class Ledger {
  runs = 0;
  events = 0;
  /** Objects seen again in a Synchronization. */
  repeated = 0;
  duplicated = 0;
  outOfOrder = 0;
  /** Runs of an operator that was killed, which ended after the next one had begun. */
  late = 0;
  readonly problems: string[] = [];
  readonly #hooks = new Map<string, HookLedger>();

  record(sighting: Sighting): void {
    const ledger = this.#ledgerOf(sighting.hook);
    this.runs++;
    if (sighting.generation < ledger.generation) {
      this.late++;
      return;
    }
    ledger.generation = sighting.generation;
    for (const context of sighting.contexts) {
      if (context.type === 'all') this.#recordAll(ledger, context.versions, sighting);
      else this.#recordEvent(ledger, context.event, context.version, sighting);
    }
  }

  /** When a hook first saw a version or the end of an object. */
  firstSeenAtMs(hook: string, key: string): number | undefined {
    return this.#ledgerOf(hook).firstSeenAtMs.get(key);
  }

  /** The differences between the last state that a hook saw and the actual one. */
  differences(hook: string, present: readonly Version[]): readonly string[] {
    const { objects } = this.#ledgerOf(hook);
    const uids = new Set(present.map(({ uid }) => uid));
    const missed = present
      .filter(({ uid, resourceVersion }) => {
        const known = objects.get(uid);
        return known === undefined || known.isDeleted || known.resourceVersion !== resourceVersion;
      })
      .map((version) => `${hook} did not see ${versionKey(version)}`);
    const left = [...objects].filter(([uid, { isDeleted }]) => !isDeleted && !uids.has(uid));
    return [...missed, ...left.map(([uid]) => `${hook} did not see the end of ${uid}`)];
  }

  /** A Synchronization has all objects: those that it does not have were deleted. */
  #recordAll(ledger: HookLedger, versions: readonly Version[], sighting: Sighting): void {
    const uids = new Set(versions.map(({ uid }) => uid));
    for (const version of versions) {
      this.repeated++;
      const known = ledger.objects.get(version.uid);
      if (known !== undefined && (known.isDeleted || isOlder(version.resourceVersion, known.resourceVersion))) {
        this.#disorder(`${sighting.hook}: Synchronization with ${versionKey(version)} after ${known.resourceVersion}`);
      }
      this.#keep(ledger, version, sighting, false);
    }
    for (const [uid, known] of ledger.objects) {
      if (!uids.has(uid)) ledger.objects.set(uid, { ...known, isDeleted: true });
    }
  }

  #recordEvent(ledger: HookLedger, event: string, version: Version, sighting: Sighting): void {
    this.events++;
    const known = ledger.objects.get(version.uid);
    const isDeleted = event === 'Deleted';
    if (known !== undefined) {
      const isSame = known.resourceVersion === version.resourceVersion && known.isDeleted === isDeleted;
      if (isSame) this.duplicated++;
      else if (known.isDeleted || isOlder(version.resourceVersion, known.resourceVersion)) {
        this.#disorder(`${sighting.hook}: ${event} ${versionKey(version)} after ${known.resourceVersion}`);
      }
    }
    this.#keep(ledger, version, sighting, isDeleted);
  }

  #keep(ledger: HookLedger, version: Version, { atMs }: Sighting, isDeleted: boolean): void {
    const { uid, resourceVersion } = version;
    ledger.objects.set(uid, { resourceVersion, isDeleted });
    const key = isDeleted ? endKey(uid) : versionKey(version);
    if (!ledger.firstSeenAtMs.has(key)) ledger.firstSeenAtMs.set(key, atMs);
  }

  #disorder(problem: string): void {
    this.outOfOrder++;
    this.problems.push(problem);
  }

  #ledgerOf(hook: string): HookLedger {
    const known = this.#hooks.get(hook);
    if (known !== undefined) return known;
    const created: HookLedger = { generation: 0, objects: new Map(), firstSeenAtMs: new Map() };
    this.#hooks.set(hook, created);
    return created;
  }
}

function isOlder(left: string, right: string): boolean {
  return BigInt(left) < BigInt(right);
}
