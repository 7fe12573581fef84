import { messageOf } from '../lib/message-of.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

/*
 * The attempts at writing the status of one object.
 *
 * The live object is needed for what is to be kept. It is read, unless the caller has it; when nothing differs from it,
 * nothing is sent. The request carries the uid and the resourceVersion of that object, so it never reaches an object
 * that was created anew, and never overwrites what somebody wrote in between: after a conflict all starts again with a
 * read. So there is one write for a change, two where one would empty an object, and the state right before is known.
 */

import type { KubeRequest } from '../kube/client.ts';
import { isLost, isMissing } from '../kube/api-error.ts';
import { isBuiltIn, resourcePath, type ResourceKind } from '../kube/kind.ts';
import { generationOf, uidOf, versionOf } from './api-object.ts';
import { applyEmptied } from './emptied-object.ts';
import { conditionsIn, STATUS_MANAGER, statusOf } from './owned-status.ts';
import { isOwnChange } from './own-change.ts';
import { droppedFields, planStatus, type StatusPlan, type WantedStatus } from './status-plan.ts';
import { addedFieldIn, checkSize, isMistyped, StatusRefusal } from './status-refusal.ts';
import type { StatusOutcome, StatusSession, StatusTarget } from './write-status.ts';

const REQUEST_LIMIT_MS = 10_000;
const FIELD_LIMIT = 3;

export interface StatusAttemptsOptions {
  readonly session: StatusSession;
  readonly kind: ResourceKind;
  readonly target: StatusTarget;
  readonly wanted: WantedStatus;
  readonly signal: AbortSignal;
}

/** The attempts at one write: the first may use an object that the caller has, each later one reads it. */
export class StatusAttempts {
  readonly #options: StatusAttemptsOptions;
  readonly #path: string;
  readonly #statusPath: string;
  #live: JsonObject | undefined;
  /** What the run saw or, where that is not known, of the first object that was read. */
  #generation: number | undefined;
  /** The resourceVersion on which the last answered request was based. */
  #sentOn: string | undefined;
  /** The object that a request was based on whose answer was lost. */
  #lostOn: JsonObject | undefined;
  /** The resourceVersions around the first of two requests, of which the second one failed. */
  #half: { readonly before: string; readonly after: string } | undefined;

  constructor(options: StatusAttemptsOptions) {
    const { kind, target } = options;
    const { namespace = '', name } = target;
    this.#options = options;
    this.#generation = target.generation;
    this.#path = resourcePath(kind, { namespace, name });
    this.#statusPath = resourcePath(kind, { namespace, name, subresource: 'status' });
    this.#live = target.live && options.session.memory.newest(this.#path, target.live);
  }

  /** Makes the next attempt; rejects when it failed. */
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
    if (versions.before === versions.after) return { type: 'unchanged' };
    const between = this.#sentOn;
    if (between !== undefined && between !== versions.before) return { type: 'written', ...versions, between };
    const half = [this.#half].find((one) => one?.before === versions.before || one?.after === versions.before);
    return { type: 'written', ...versions, ...(half && { before: half.before, between: half.after }) };
  }

  #plan(live: JsonObject): StatusPlan {
    const { kind, session, wanted } = this.#options;
    const generation = this.#generation ?? 0;
    const lacks = session.memory.lacksOf(kind);
    return planStatus(live, wanted, { generation, isBuiltIn: isBuiltIn(kind), lacks, nowMs: session.now() });
  }

  async #read(): Promise<JsonObject> {
    const answer = await this.#request({ method: 'GET', path: this.#path });
    return isObject(answer) ? answer : {};
  }

  async #send(live: JsonObject, status: JsonObject): Promise<unknown> {
    const { apiVersion, kind } = this.#options.kind;
    const { namespace = '', name } = this.#options.target;
    let before = live;
    this.#sentOn = undefined;
    return applyEmptied({ status }, async (applied) => {
      const metadata = {
        name,
        ...(namespace !== '' && { namespace }),
        uid: uidOf(before),
        resourceVersion: versionOf(before),
      };
      const answer = await this.#request({
        method: 'PATCH',
        path: this.#statusPath,
        query: { fieldManager: STATUS_MANAGER, force: 'true' },
        contentType: 'application/apply-patch+yaml',
        body: JSON.stringify({ apiVersion, kind, metadata, ...applied }),
      });
      this.#sentOn = versionOf(before);
      if (isObject(answer)) before = answer;
      return answer;
    }).catch((error: unknown) => {
      if (before !== live) this.#half = { before: versionOf(live), after: versionOf(before) };
      throw error;
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
