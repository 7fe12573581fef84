import type { Registered, Writer } from './registered.ts';
import { isNewer, type RegistrationSituation } from './registration-step.ts';

export interface SituationsOptions extends Pick<RegistrationSituation, 'bundleFor'> {
  /** Of this hooklet. */
  readonly namespace: string;
  /** Of this replica: of its Pod, or of the machine. */
  readonly writer: string;
  /** Whether the replica that wrote last is gone for good. */
  readonly isGone: (writer: string, signal: AbortSignal) => Promise<boolean>;
}

/** What was found, and what is wanted of it. */
export type Compared = Pick<RegistrationSituation, 'found' | 'wanted' | 'refusals'>;

export interface SituationTime {
  /** Increases when the hooks of this replica were changed. */
  readonly revision: number;
  /** Milliseconds that never jump. */
  readonly nowMs: number;
}

/** An old replica may still want webhooks when the new one has none. */
const EMPTY_MS = 60_000;

/** What this replica remembers of one webhook configuration from step to step. */
export class Situations {
  readonly #options: SituationsOptions;
  #generation: number | undefined;
  #revision: number | undefined;
  #emptySinceMs: number | undefined;
  #goneWriter: string | undefined;

  constructor(options: SituationsOptions) {
    this.#options = options;
  }

  /** On what the next step is decided; asks whether the last writer is gone, where it has newer hooks. */
  async at(compared: Compared, time: SituationTime, signal: AbortSignal): Promise<RegistrationSituation> {
    const { bundleFor, namespace, isGone } = this.#options;
    const { found } = compared;
    const me = { ...this.#me(found, time.revision), namespace };
    const isLongEmpty = this.#isLongEmpty(found, time.nowMs);
    const situation = { ...compared, bundleFor, me, isWriterGone: false, isLongEmpty };
    if (found === undefined || !isNewer(found.writer, situation)) return situation;
    const { name } = found.writer;
    if (this.#goneWriter !== name && (await isGone(name, signal))) this.#goneWriter = name;
    if (this.#goneWriter !== name) return situation;
    this.#generation = Math.max(me.generation, found.writer.generation + 1);
    return { ...situation, me: { ...me, generation: this.#generation }, isWriterGone: true };
  }

  #isLongEmpty(found: Registered | undefined, nowMs: number): boolean {
    if (found?.webhooks.length !== 0 || found.refusals !== '') {
      this.#emptySinceMs = undefined;
      return false;
    }
    this.#emptySinceMs ??= nowMs;
    return nowMs - this.#emptySinceMs >= EMPTY_MS;
  }

  /** Its generation is one more than what it found when it began, or when its hooks were changed. */
  #me(found: Registered | undefined, revision: number): Writer {
    const { writer } = this.#options;
    if (this.#generation === undefined || this.#revision !== revision) {
      const registered = found?.writer.generation ?? 0;
      const isOwn = found?.writer.name === writer;
      this.#generation = Math.max(this.#generation ?? 0, isOwn ? registered : registered + 1);
      this.#revision = revision;
    }
    return { generation: this.#generation, name: writer };
  }
}
