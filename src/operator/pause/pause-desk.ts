import { UsageError } from '../../errors.ts';
import { nearest } from '../../hook/nearest.ts';
import type { PauseControl, PauseStatus, PauseTarget } from '../../hook/pause-control.ts';
import type { Logger } from '../../log.ts';
import type { PauseGate } from './pause-gate.ts';
import { annotatedObject, namespaceKey, targetKey, type PauseKey } from './pause-rules.ts';

export interface PauseDeskOptions {
  readonly gate: Pick<PauseGate, 'rules' | 'counts' | 'paused' | 'resumed'>;
  /** Reads the pauses of earlier processes. */
  readonly open: () => Promise<void>;
  /** The pauses by hand changed. */
  readonly onChange: () => void;
  /** Whether pauses survive a restart. */
  readonly isKept: () => boolean;
  readonly hooks: () => readonly string[];
  readonly now: () => number;
  readonly log: Logger;
}

/** What a person may do with pauses. */
export function createPauseDesk(options: PauseDeskOptions): PauseControl {
  const { gate, open, onChange, isKept, hooks, now, log } = options;
  return {
    async list() {
      await open();
      return statusesOf(gate);
    },
    async pause(target) {
      await open();
      if (target.type !== 'queue' && target.hook !== undefined) checkHook(target.hook, hooks());
      if (!gate.rules.add({ target, sinceMs: now() })) return isKept();
      log.info({ pause: targetText(target) }, 'paused by hand');
      onChange();
      gate.paused();
      return isKept();
    },
    async resume(target) {
      await open();
      if (!gate.rules.remove(target)) {
        const known = gate.rules.byHand.map((pause) => targetText(pause.target));
        const there = known.length === 0 ? 'nothing is paused by hand' : `paused by hand: ${known.join(', ')}`;
        throw new UsageError(`${targetText(target)} is not paused by hand; ${there}`);
      }
      onChange();
      const released = gate.resumed();
      log.info({ pause: targetText(target), released }, 'resumed by hand');
      return released;
    },
  };
}

/** What is paused, and how much waits for its end, as text for people: `hook a.sh, 3 waiting`. */
export function pauseTexts(gate: Pick<PauseGate, 'rules' | 'counts'>): readonly string[] {
  return statusesOf(gate).map(({ target, held }) => {
    const what = target.type === 'namespace' ? `namespace ${target.namespace}` : targetText(target);
    return held === 0 ? what : `${what}, ${held} waiting`;
  });
}

function statusesOf(gate: Pick<PauseGate, 'rules' | 'counts'>): readonly PauseStatus[] {
  const { rules } = gate;
  const held = gate.counts();
  const heldBy = (key: PauseKey): number => held.get(key) ?? 0;
  const byHand = rules.byHand.map(({ target, sinceMs }): PauseStatus => ({
    target,
    by: 'hand',
    sinceMs,
    held: heldBy(targetKey(target)),
  }));
  const namespaces = rules.namespaces.map((namespace): PauseStatus => {
    return { target: { type: 'namespace', namespace }, by: 'annotation', held: heldBy(namespaceKey(namespace)) };
  });
  const annotated = [...held].flatMap(([key, count]): readonly PauseStatus[] => {
    const target = annotatedObject(key);
    return target === undefined ? [] : [{ target, by: 'annotation', held: count }];
  });
  return [...byHand, ...namespaces, ...annotated];
}

/** `hook a.sh`, `queue main`, `object Pod/default/web of hook a.sh`. */
function targetText(target: PauseTarget): string {
  switch (target.type) {
    case 'hook':
      return `hook ${target.hook}`;
    case 'queue':
      return `queue ${target.queue}`;
    case 'object': {
      const { kind, namespace, name, hook } = target;
      const place = [...(kind === undefined ? [] : [kind]), ...(namespace === '' ? [] : [namespace]), name].join('/');
      return `object ${place}${hook === undefined ? '' : ` of hook ${hook}`}`;
    }
  }
}

function checkHook(hook: string, hooks: readonly string[]): void {
  if (hooks.includes(hook)) return;
  const meant = nearest(hook, hooks);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  throw new UsageError(`no hook ${JSON.stringify(hook)}${hint}`);
}
