import { atOnce } from '../../lib/at-once.ts';
import { messageOf } from '../../lib/message-of.ts';
import { problemOf, takenProblem } from './child-errors.ts';
import { applyChild, createChild, deleteChild, type ChildSession, type Found, type Written } from './child-requests.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import { isOurs, nameOfChild, type LiveChild } from './live-child.ts';
import type { Marks, Parent } from './marks.ts';
import { planSteps, type ChildState, type Step } from './plan.ts';
import type { ChildProblem } from './problem.ts';

/** Limit of the requests of one parent that are sent at the same time. */
export const MAX_AT_ONCE = 8;
/** Writes of one child in one pass: what is there may turn out to be something else, but not again and again. */
const MAX_TRIES = 4;

export interface PassStart {
  readonly marks: Marks;
  readonly parent: Parent;
  readonly states: ChildState[];
}

/**
 * The writes of one answer. Its state is what is known of each child, which grows with every answer of the server, and
 * from which the next round is planned.
 */
export class Pass {
  readonly session: ChildSession;
  readonly marks: Marks;
  readonly parent: Parent;
  readonly states: ChildState[];
  readonly writes: Written[] = [];
  readonly problems: ChildProblem[] = [];
  /** What is no longer wanted, and was not deleted yet. */
  readonly heldBack: LiveChild[] = [];
  readonly #tries = new Map<number, number>();

  constructor(session: ChildSession, { marks, parent, states }: PassStart) {
    this.session = session;
    this.marks = marks;
    this.parent = parent;
    this.states = states;
  }

  /** Writes round by round, until no child is left that can be written. */
  async write(): Promise<void> {
    for (;;) {
      const steps = planSteps(this.states);
      const work = [...steps.entries()].filter(([place, step]) => this.#isWork(place, step));
      if (work.length === 0 || this.session.signal.aborted) break;
      await atOnce(work, MAX_AT_ONCE, async ([place, step]) => this.#attempt(place, step));
    }
    for (const [place, step] of planSteps(this.states).entries()) if (step.type === 'taken') this.#taken(place);
  }

  /** Deletes the children of one stage after those of another. */
  async remove(stages: readonly (readonly LiveChild[])[]): Promise<void> {
    for (const stage of stages) await atOnce(stage, MAX_AT_ONCE, async (live) => this.#remove(live));
  }

  /** Leaves what is no longer wanted for a later pass. */
  holdBack(doomed: readonly LiveChild[]): void {
    this.heldBack.push(...doomed);
  }

  #isWork(place: number, { type }: Step): boolean {
    const state = this.states[place];
    if (state === undefined || state.hasFailed) return false;
    return type === 'create' || type === 'apply' || type === 'recreate';
  }

  async #attempt(place: number, step: Step): Promise<void> {
    const state = this.states[place];
    if (state === undefined) return;
    const tries = (this.#tries.get(place) ?? 0) + 1;
    this.#tries.set(place, tries);
    try {
      if (tries <= MAX_TRIES) this.#note(place, await this.#send(state, step));
      else
        this.#fail(place, { type: 'changed', message: 'is changed by others again and again, tried at the next pass' });
    } catch (error) {
      const { label, resource } = state.wanted;
      this.#fail(place, this.#problemOf(label, resource, error));
    }
  }

  #fail(place: number, { type, message }: Pick<ChildProblem, 'type' | 'message'>): void {
    const state = this.states[place];
    if (state === undefined) return;
    this.problems.push({ type, child: state.wanted.label, message });
    this.states[place] = { ...state, hasFailed: true };
  }

  #problemOf(child: string, resource: ResourceKind, error: unknown): ChildProblem {
    if (this.session.signal.aborted)
      return { type: 'lost', child, message: 'not written, because the run was stopped' };
    const problem = problemOf(child, resource, error);
    // The kind may have moved to another version after it was discovered.
    if (problem.type === 'kind') this.session.kinds.invalidate();
    return problem;
  }

  async #send(state: ChildState, { type }: Step): Promise<Written | Found> {
    const { session, marks } = this;
    const { wanted, live } = state;
    if (live === undefined) return createChild(session, wanted, marks);
    if (type === 'recreate') return deleteChild(session, live, { resource: wanted.resource, marks });
    return applyChild(session, wanted, { live, marks });
  }

  /** Takes over what an answer shows. */
  #note(place: number, result: Written | Found): void {
    const state = this.states[place];
    if (state === undefined) return;
    const { wanted } = state;
    const isWrite = 'operation' in result;
    const lost = state.live === undefined ? [] : this.session.tolerance.differences(state.live, wanted);
    if (isWrite) this.writes.push({ ...result, lost });
    const live = isWrite ? result.live : result.found;
    if (isWrite && live !== undefined && result.change !== 'deleted') this.session.tolerance.note(live, wanted);
    if (live === undefined) {
      this.states[place] = { wanted, isOurs: false, differs: false, hasFailed: false };
      return;
    }
    const differs = this.session.tolerance.differences(live, wanted).length > 0;
    this.states[place] = { wanted, live, isOurs: isOurs(live, this.parent, this.marks), differs, hasFailed: false };
  }

  #taken(place: number): void {
    const state = this.states[place];
    if (state !== undefined) this.problems.push(takenProblem(state.wanted.label, state.wanted.kind));
  }

  async #remove(live: LiveChild): Promise<void> {
    const child = nameOfChild(live, this.parent);
    try {
      const { apiVersion, kind } = live;
      const resource = await this.session.kinds.resolve({ apiVersion, kind }, this.session.signal);
      try {
        this.writes.push(await deleteChild(this.session, live, { resource, marks: this.marks }));
      } catch (error) {
        this.problems.push(this.#problemOf(child, resource, error));
      }
    } catch (error) {
      this.problems.push({ type: 'kind', child, message: messageOf(error) });
    }
  }
}
