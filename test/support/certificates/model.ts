/*
 * Replicas, one Secret and the registered objects, in memory and step by step, for histories in any order: everything
 * that a replica knows is what it saw when it last looked. What decides is the code itself.
 */

import type { X509Certificate } from 'node:crypto';

import { SYSTEM_CLOCK } from '../../../src/server/certificates/clock.ts';
import { bundleToRegister } from '../../../src/server/certificates/bundle.ts';
import { certificatesIn, isValidAt } from '../../../src/server/certificates/pem.ts';
import { ServedCertificate } from '../../../src/server/certificates/served.ts';
import { carryOut } from '../../../src/server/certificates/self-made/carry-out.ts';
import { readHeld, textsOf, type Held, type SecretTexts } from '../../../src/server/certificates/self-made/held.ts';
import { nextStep, type Situation, type Step } from '../../../src/server/certificates/self-made/next-step.ts';
import * as maker from '../../../src/server/certificates/self-made/x509.ts';
import { anchorOf } from '../../../src/server/certificates/trust.ts';
import { createMetrics } from '../../../src/metrics.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** A history of some steps reaches the end of each. */
export const LIFETIMES = { authorityMs: 20 * DAY, leafMs: 10 * DAY, slackMs: HOUR };
export const SETTLE_MS = 60_000;
/** How late an API server learns of a registration. */
const LAG_MS = 50_000;
const START_MS = SYSTEM_CLOCK.now();

interface Version<T> {
  readonly version: number;
  readonly value: T;
}

/** The parts of a cluster that certificates are about. */
export class ModelCluster {
  elapsedMs = 0;
  secret: Version<SecretTexts | undefined> = { version: 0, value: undefined };
  readonly objects: Version<string>[][] = [[{ version: 0, value: '' }], [{ version: 0, value: '' }]];
  #version = 0;
  readonly #writtenAtMs = new Map<number, number>([[0, -LAG_MS]]);

  write(seen: Version<unknown>, value: SecretTexts | undefined): boolean {
    if (seen.version !== this.secret.version) return false;
    this.secret = { version: this.#next(), value };
    return true;
  }

  newest(object: number): Version<string> {
    return this.objects[object]?.at(-1) ?? { version: 0, value: '' };
  }

  register(object: number, seen: Version<string>, value: string): boolean {
    if (seen.version !== this.newest(object).version) return false;
    this.objects[object]?.push({ version: this.#next(), value });
    return true;
  }

  /** Every bundle that some API server may go by now; an object that never had one is not registered yet. */
  bundlesInUse(): readonly string[] {
    return this.objects.flatMap((versions) =>
      versions
        .filter(({ value }, index) => {
          if (value === '') return false;
          const after = versions[index + 1];
          return after === undefined || this.elapsedMs - (this.#writtenAtMs.get(after.version) ?? 0) < LAG_MS;
        })
        .map(({ value }) => value),
    );
  }

  #next(): number {
    this.#version += 1;
    this.#writtenAtMs.set(this.#version, this.elapsedMs);
    return this.#version;
  }
}

const READ = new WeakMap<SecretTexts, Held>();

function heldOf(texts: SecretTexts = {}): Held {
  const held = READ.get(texts) ?? readHeld(texts);
  READ.set(texts, held);
  return held;
}

const PARSED = new Map<string, readonly X509Certificate[]>();

function parsed(bundle: string): readonly X509Certificate[] {
  const certificates = PARSED.get(bundle) ?? certificatesIn(bundle);
  PARSED.set(bundle, certificates);
  return certificates;
}

export type Crash = 'none' | 'before the write' | 'after the write';

/** One replica, which does one thing at a time. */
export class ModelReplica {
  readonly served: ServedCertificate;
  readonly #cluster: ModelCluster;
  readonly #aheadMs: number;
  #secret: Version<SecretTexts | undefined> | undefined;
  #bundles: readonly Version<string>[] | undefined;

  constructor(cluster: ModelCluster, aheadMs: number) {
    this.#cluster = cluster;
    this.#aheadMs = aheadMs;
    const clock = { now: this.now, monotonicMs: () => cluster.elapsedMs };
    const registered = {
      bundles: () => this.#bundles?.map(({ value }) => value),
      async *changes() {},
    };
    this.served = new ServedCertificate({ clock, settleMs: SETTLE_MS, registered, metrics: createMetrics('') });
  }

  readonly now = (): number => START_MS + this.#cluster.elapsedMs + this.#aheadMs;

  /** Its watch of the Secret delivers what is there now. */
  seeSecret(): void {
    this.#secret = this.#cluster.secret;
    const { leaf, authorities } = heldOf(this.#secret.value);
    if (leaf !== undefined) this.served.offer({ pair: leaf, authorities });
  }

  seeBundles(): void {
    this.#bundles = this.#cluster.objects.map((_, object) => this.#cluster.newest(object));
    this.served.look();
  }

  /** What it would do by what it has seen. */
  step(): Step {
    return nextStep(heldOf(this.#secret?.value), this.#situation());
  }

  /** Acts as the loop does: what it decided by the watch it decides again by a request. */
  act(crash: Crash = 'none'): Step['type'] {
    this.served.look();
    if (this.#secret === undefined || this.step().type === 'wait') return 'wait';
    this.seeSecret();
    const seen = this.#cluster.secret;
    const held = heldOf(seen.value);
    const step = nextStep(held, this.#situation());
    if (step.type === 'wait' || crash === 'before the write') return step.type;
    const known = this.served.authorities;
    const made = carryOut(step, held, { ...this.#situation(), maker, authorityName: 'ca', known });
    this.#cluster.write(seen, textsOf(made));
    if (crash === 'none') this.seeSecret();
    return step.type;
  }

  /** Writes its bundle into an object, if nobody has written that since it was seen. */
  register(object: number): boolean {
    const seen = this.#bundles?.[object];
    const { caBundle } = this.served;
    if (seen === undefined || caBundle === undefined) return false;
    const bundle = bundleToRegister(seen.value, caBundle, this.now());
    return bundle !== undefined && this.#cluster.register(object, seen, bundle);
  }

  /** Does all that its loops do. */
  work(): void {
    this.seeSecret();
    this.seeBundles();
    this.act();
    for (const object of this.#cluster.objects.keys()) {
      this.seeBundles();
      this.register(object);
    }
    this.seeBundles();
  }

  /** Whether each API server trusts what it serves. */
  isTrusted(): boolean {
    const { pair } = this.served;
    return (
      pair !== undefined &&
      this.#cluster.bundlesInUse().every((bundle) => anchorOf(pair.chain, parsed(bundle), this.now()) !== undefined)
    );
  }

  isExpired(): boolean {
    const { pair } = this.served;
    return pair === undefined || !isValidAt(pair.leaf, this.now());
  }

  #situation(): Situation {
    const isSettled = this.served.view.isSettled.bind(this.served.view);
    return { nowMs: this.now(), lifetimes: LIFETIMES, names: ['hooks.default.svc', '127.0.0.1'], isSettled };
  }
}
