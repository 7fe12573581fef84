import { configurationOf } from './configuration.ts';
import { judge, type Judgment, type Known } from './culprits.ts';
import { hashOf, type Item } from './items.ts';
import { type Check, checkWith } from './promtool.ts';
import type { Prometheus } from './resources.ts';

/** Judges items as `judge` does, and asks promtool nothing twice as long as this process lives. */
export async function judged(prometheus: Prometheus, items: readonly Item[], signal: AbortSignal): Promise<Judgment> {
  const text = configurationOf(prometheus, [], { folder: '', mark: '' });
  const base = hashOf(`${prometheus.spec.version ?? ''} ${text}`);
  const memory = memories.get(base) ?? { verdicts: new Map(), silent: new Map(), answers: new Map() };
  // The one that was used last is the last to go.
  memories.delete(base);
  memories.set(base, memory);
  forgetFirst(memories, MAX_MEMORIES);
  forgetFirst(memory.verdicts, MAX_VERDICTS);
  const ask = checkWith(prometheus, signal);
  const check: Check = async (some) => {
    const key = hashOf(some.map(({ hash }) => hash).join('\n'));
    if (memory.answers.has(key)) return memory.answers.get(key);
    const answer = await ask(some);
    memory.answers.set(key, answer);
    forgetFirst(memory.answers, MAX_ANSWERS);
    return answer;
  };
  return judge(items, check, memory);
}

interface Memory extends Known {
  readonly answers: Map<string, string | undefined>;
}

const memories = new Map<string, Memory>();
const MAX_MEMORIES = 20;
const MAX_VERDICTS = 5_000;
const MAX_ANSWERS = 500;

function forgetFirst(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}
