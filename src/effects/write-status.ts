import type { ObjectReference } from '../hook/result.ts';
import type { KubeClient, KubeRequest } from '../kube/client.ts';
import { resourcePath, type Kinds, type ResourceKind } from '../kube/kind.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { Logger } from '../log.ts';
import { isLost, isMissing, isUnknownResource } from '../kube/api-error.ts';
import { metadataOf, uidOf, versionOf } from './api-object.ts';
import { isObject } from './field-reader.ts';
import type { JsonObject } from './operation.ts';
import { conditionsIn, STATUS_MANAGER, statusOf } from './owned-status.ts';
import { isOwnChange } from './own-change.ts';
import { withRetries } from './retries.ts';
import type { StatusMemory } from './status-memory.ts';
import { droppedFields, planStatus, type StatusPlan, type WantedStatus } from './status-plan.ts';
import {
  addedFieldIn,
  checkSize,
  checkWanted,
  explained,
  isMistyped,
  isRefusedBySchema,
  StatusRefusal,
  withoutSubresource,
} from './status-refusal.ts';

/**
 * Writes the conditions and the status that a hook gave for one object, by server-side apply on the `status`
 * subresource. The operator calls `writeStatus` once for each object of a run.
 *
 * The live object is needed for what is to be kept. It is read, unless the caller has it; when nothing differs from it,
 * nothing is sent. The request carries the uid and the resourceVersion of that object, so it never reaches an object
 * that was created anew, and never overwrites what somebody wrote in between: after a conflict all starts again with a
 * read. So there is one write for a change, and the state right before it is known.
 *
 * What must hold: it never rejects, and ends within the limits of its requests and retries.
 */

const REQUEST_LIMIT_MS = 10_000;
const FIELD_LIMIT = 3;

export interface StatusTarget extends ObjectReference {
  /** Of the object that the run was about; absent: of whatever object has the name. */
  readonly uid?: string | undefined;
  /** The generation that the run saw; absent: that of the object when it is read. */
  readonly generation?: number | undefined;
  /** The object as it was seen last, with its status and managedFields; absent: it is read. */
  readonly live?: JsonObject | undefined;
  /** Whether `live` is the newest state that is known: then nothing is read when nothing differs. */
  readonly isCurrent?: boolean | undefined;
}

export interface StatusSession {
  readonly client: Pick<KubeClient, 'request'>;
  readonly kinds: Kinds;
  readonly memory: StatusMemory;
  readonly now: () => number;
  readonly log: Logger;
}

/** What became of a status. */
export type StatusOutcome =
  /** `before` is the resourceVersion of the object right before the write. */
  | { readonly type: 'written'; readonly before: string; readonly after: string; readonly warning?: string }
  /** `warning` says what was left out, because the server refused it. */
  | { readonly type: 'unchanged'; readonly warning?: string }
  /** The object is gone, or another one has its name. */
  | { readonly type: 'gone' }
  /** `message` says what to do, where that is known. */
  | { readonly type: 'failed'; readonly message: string; readonly error: unknown };

/** Writes a status, or its conditions alone where the server refuses the fields beside them; never rejects. */
export async function writeStatus(
  session: StatusSession,
  target: StatusTarget,
  wanted: WantedStatus,
  signal: AbortSignal,
): Promise<StatusOutcome> {
  const outcome = await writeWanted(session, target, wanted, signal);
  const { conditions, status } = wanted;
  if (outcome.type !== 'failed' || status === undefined || conditions.length === 0) return outcome;
  if (!isRefusedBySchema(outcome.error)) return outcome;
  return withoutFields(outcome, await writeWanted(session, target, { conditions }, signal));
}

async function writeWanted(
  session: StatusSession,
  target: StatusTarget,
  wanted: WantedStatus,
  signal: AbortSignal,
): Promise<StatusOutcome> {
  let kind: ResourceKind | undefined;
  const write = async (): Promise<StatusOutcome> => {
    kind = await statusKind(session, target, signal);
    const attempts = new Attempts({ session, kind, target, wanted, signal });
    const onRetry = (err: unknown, delayMs: number): void =>
      session.log.debug({ err, delayMs }, 'write of a status retried');
    const rule = { retriesConflicts: true, retriesLost: true };
    return withRetries(async () => attempts.next(), { rule, signal, onRetry });
  };
  try {
    checkWanted(wanted);
    return await write().catch(async (error: unknown) => {
      if (!isUnknownResource(error)) throw error;
      // The version of the kind may have changed after it was discovered: discover it again.
      session.kinds.invalidate();
      return write();
    });
  } catch (error) {
    if (isUnknownResource(error) && kind !== undefined) {
      return { type: 'failed', message: withoutSubresource(kind).message, error };
    }
    return { type: 'failed', message: explained(error, kind ?? { group: '', plural: target.kind }), error };
  }
}

type FailedStatus = Extract<StatusOutcome, { readonly type: 'failed' }>;

/** The outcome of the conditions, after the whole status was refused. */
function withoutFields(refused: FailedStatus, outcome: StatusOutcome): StatusOutcome {
  switch (outcome.type) {
    case 'written':
    case 'unchanged':
      return {
        ...outcome,
        warning: `the fields of \`status\` were not written, only the conditions: ${refused.message}`,
      };
    case 'gone':
      return outcome;
    case 'failed': {
      const also = outcome.message === refused.message ? '' : `; the conditions alone: ${outcome.message}`;
      return { ...outcome, message: `neither conditions nor status were written: ${refused.message}${also}` };
    }
    default:
      return unreachable(outcome);
  }
}

/** The kind of the object; throws when its objects have no status subresource, which is looked up again at times. */
async function statusKind(
  { kinds, memory }: StatusSession,
  { apiVersion, kind, namespace }: StatusTarget,
  signal: AbortSignal,
): Promise<ResourceKind> {
  let found = await kinds.resolve({ apiVersion, kind }, signal);
  if (!found.subresources.includes('status') && memory.looksUp(found)) {
    kinds.invalidate();
    found = await kinds.resolve({ apiVersion, kind }, signal);
  }
  if (!found.subresources.includes('status')) throw withoutSubresource(found);
  if (found.isNamespaced && (namespace ?? '') === '') {
    throw new StatusRefusal(`${found.kind} is a namespaced kind, expected the namespace of the object`);
  }
  return found;
}

interface AttemptsOptions {
  readonly session: StatusSession;
  readonly kind: ResourceKind;
  readonly target: StatusTarget;
  readonly wanted: WantedStatus;
  readonly signal: AbortSignal;
}

/** The attempts at one write: the first may use an object that the caller has, each later one reads it. */
class Attempts {
  readonly #options: AttemptsOptions;
  readonly #path: string;
  readonly #statusPath: string;
  #live: JsonObject | undefined;
  /** What the run saw or, where that is not known, of the first object that was read. */
  #generation: number | undefined;
  /** The object that a request was based on whose answer was lost. */
  #lostOn: JsonObject | undefined;

  constructor(options: AttemptsOptions) {
    const { kind, target } = options;
    const { namespace = '', name } = target;
    this.#options = options;
    this.#generation = target.generation;
    this.#path = resourcePath(kind, { namespace, name });
    this.#statusPath = resourcePath(kind, { namespace, name, subresource: 'status' });
    this.#live = target.live && options.session.memory.newest(this.#path, target.live);
  }

  async next(): Promise<StatusOutcome> {
    try {
      return await this.#next();
    } catch (error) {
      if (isMissing(error)) return { type: 'gone' };
      throw error;
    }
  }

  async #next(): Promise<StatusOutcome> {
    const known = this.#live;
    this.#live = undefined;
    const live = known ?? (await this.#read());
    this.#generation ??= generationOf(live);
    if (this.#isOther(live)) return { type: 'gone' };
    const plan = this.#plan(live);
    if (!plan.isSame) return this.#write(live, plan);
    const isNewest = known === undefined || this.#options.target.isCurrent === true;
    return isNewest ? this.#unchanged(live) : this.#next();
  }

  /** Nothing differs: because it did not before, or by a request whose answer was lost. */
  #unchanged(live: JsonObject): StatusOutcome {
    const before = this.#lostOn;
    if (before === undefined || !isOwnChange(before, live, this.#plan(before).status)) return { type: 'unchanged' };
    return this.#written(before, live);
  }

  async #write(live: JsonObject, { status }: StatusPlan): Promise<StatusOutcome> {
    checkSize(status, conditionsIn(status['conditions']).length);
    for (let tried = 0; ; tried += 1) {
      const { status: sent, isSame } = tried === 0 ? { status, isSame: false } : this.#plan(live);
      if (isSame) return { type: 'unchanged' };
      try {
        const answer = await this.#send(live, sent);
        this.#noteLacks(sent, answer);
        return this.#written(live, answer);
      } catch (error) {
        const field = addedFieldIn(error);
        if (field !== undefined && tried < FIELD_LIMIT) {
          this.#options.session.memory.noteLack(this.#options.kind, field);
          continue;
        }
        if (isMistyped(error)) throw new StatusRefusal(messageOf(error), { cause: error });
        if (isLost(error)) this.#lostOn = live;
        throw error;
      }
    }
  }

  /** A schema may also drop fields without a word. */
  #noteLacks(sent: JsonObject, answer: unknown): void {
    const { kind, session } = this.#options;
    for (const field of droppedFields(sent, statusOf(isObject(answer) ? answer : {}))) {
      session.memory.noteLack(kind, field);
    }
  }

  #written(before: JsonObject, after: unknown): StatusOutcome {
    const versions = { before: versionOf(before), after: versionOf(after) };
    if (isObject(after)) this.#options.session.memory.noteWritten(this.#path, after);
    return versions.before === versions.after ? { type: 'unchanged' } : { type: 'written', ...versions };
  }

  #plan(live: JsonObject): StatusPlan {
    const { kind, session, wanted } = this.#options;
    const isBuiltIn = !kind.group.includes('.') || kind.group.endsWith('.k8s.io');
    const generation = this.#generation ?? 0;
    const lacks = session.memory.lacksOf(kind);
    return planStatus(live, wanted, { generation, isBuiltIn, lacks, nowMs: session.now() });
  }

  async #read(): Promise<JsonObject> {
    const answer = await this.#request({ method: 'GET', path: this.#path });
    return isObject(answer) ? answer : {};
  }

  async #send(live: JsonObject, status: JsonObject): Promise<unknown> {
    const { apiVersion, kind } = this.#options.kind;
    const { namespace = '', name } = this.#options.target;
    const metadata = {
      name,
      ...(namespace !== '' && { namespace }),
      uid: uidOf(live),
      resourceVersion: versionOf(live),
    };
    return this.#request({
      method: 'PATCH',
      path: this.#statusPath,
      query: { fieldManager: STATUS_MANAGER, force: 'true' },
      contentType: 'application/apply-patch+yaml',
      body: JSON.stringify({ apiVersion, kind, metadata, status }),
    });
  }

  async #request(request: KubeRequest): Promise<unknown> {
    const { session, signal } = this.#options;
    return session.client.request({ ...request, timeoutMs: REQUEST_LIMIT_MS }, signal);
  }

  #isOther(live: JsonObject): boolean {
    const { uid = '' } = this.#options.target;
    return uid !== '' && uidOf(live) !== uid;
  }
}

function generationOf(object: JsonObject): number {
  const { generation } = metadataOf(object);
  return typeof generation === 'number' ? generation : 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
