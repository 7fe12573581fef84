import type { ObservedWrite } from '@hooklet/sandbox';
import { objectText } from './action-text.ts';
import type { Disturber } from './disturber.ts';
import type { OperatorLife } from './operator-life.ts';
import type { Recorder } from './recorder.ts';
import type { EndedCall, StandIns } from './stand-ins.ts';
import { writeMoment, type Caller } from './world-cluster.ts';

export interface EffectsOptions {
  readonly recorder: Recorder;
  readonly disturber: Disturber;
  readonly standIns: StandIns;
  /** The operator that runs now. */
  readonly life: () => OperatorLife | undefined;
}

/** Records what hooks and hooklet do to a world: writes, and calls of stand-ins. Each that counts may be disturbed. */
export class Effects {
  readonly #options: EffectsOptions;

  constructor(options: EffectsOptions) {
    this.#options = options;
  }

  /** Records a write. */
  wrote(write: ObservedWrite, caller: Caller | undefined): void {
    const { recorder, disturber, life } = this.#options;
    const moment = writeMoment(write, caller);
    if (!isEffect(moment)) {
      recorder.add(moment);
      return;
    }
    const { object, verb, run } = moment;
    const effect = disturber.effect();
    recorder.add({ ...moment, effect });
    if (run !== undefined && moment.by === 'hook') life()?.effectOf(run);
    disturber.afterEffect(effect, `effect ${effect} (${verb} ${objectText(object)})`);
  }

  /** Records the calls of stand-ins since the last time, but not those of dead hooks. */
  takeCalls(): void {
    const { standIns, life } = this.#options;
    for (const { run: named, ...call } of standIns.take()) {
      // A warm hook has no run in its environment.
      const run = named === '' ? life()?.onlyRun : named;
      const hook = life()?.hookOf(run ?? '');
      if (run !== undefined && hook !== undefined) this.#called({ ...call, run }, hook);
      else if (run === undefined) call.release();
    }
  }

  #called({ release, ...ended }: EndedCall, hook: string): void {
    const { recorder, disturber, life } = this.#options;
    const { program, args, run } = ended;
    recorder.calls += 1;
    const effect = disturber.effect();
    recorder.add({ type: 'call', ...ended, hook, call: recorder.calls, effect });
    const isLast = life()?.effectOf(run) === true;
    disturber.afterEffect(effect, `effect ${effect} (${program} ${args.join(' ').slice(0, 100)})`);
    if (!isLast && life()?.isLiving(run) === true) release();
  }
}

/** Whether a write counts as an effect: it changed something, by a hook or by hooklet, and is neither Lease nor Event. */
function isEffect({ by, isChange, object }: ReturnType<typeof writeMoment>): boolean {
  return isChange && (by === 'hook' || by === 'hooklet') && object.kind !== 'Lease' && object.kind !== 'Event';
}
