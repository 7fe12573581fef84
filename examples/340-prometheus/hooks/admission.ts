// Refuses what the operator would leave out or refuse, with the same sentence, before it is written.
import { defineHook, validating } from 'hooklet';
import { monitorItem, ruleItem } from './lib/items.ts';
import { judged } from './lib/judge-cache.ts';
import { joined } from './lib/own-news.ts';
import { GROUP, type MonitorSpec, type Prometheus, type RuleSpec, type Source } from './lib/resources.ts';
import { specProblems } from './lib/spec-problems.ts';
import { refusalOf } from './lib/storage.ts';

type Written = Prometheus & Source<MonitorSpec & RuleSpec> & { readonly kind?: string };

export default defineHook({
  bindings: {
    [`specs.${GROUP}`]: validating<Written>({
      rules: [
        {
          apiGroups: [GROUP],
          apiVersions: ['v1'],
          resources: ['prometheuses', 'servicemonitors', 'podmonitors', 'prometheusrules'],
          operations: ['CREATE', 'UPDATE'],
        },
      ],
      // While nobody answers, everything is let in: what is bad is then left out, and told in its status.
      failurePolicy: 'Ignore',
      timeoutSeconds: 10,
    }),
  },
  settings: { timeout: '9s' },
  async run({ contexts: [context], answer, signal }) {
    const { object, oldObject, kind } = context?.request ?? {};
    // What changes no spec is not held back: a finalizer, a label, the end of an object that was bad before.
    if (!isObject(object) || (isObject(oldObject) && isSame(object, oldObject))) return answer.allow();
    const message =
      kind?.kind === 'Prometheus'
        ? await ofPrometheus(object, oldObject, signal)
        : await ofSource(object, kind?.kind, signal);
    if (message === undefined) answer.allow();
    else answer.deny(message);
  },
});

async function ofPrometheus(
  object: Prometheus,
  old: Prometheus | null | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const claim = (one: Prometheus) => one.spec.storage?.volumeClaimTemplate.spec;
  const storage = isObject(old) ? refusalOf(claim(object), claim(old)) : undefined;
  const problems = [...specProblems(object), ...(storage === undefined ? [] : [storage])];
  if (problems.length > 0) return joined(problems);
  return (await judged(object, [], signal)).refused;
}

/** A monitor or rule is judged alone, under the defaults of a Prometheus. */
async function ofSource(
  object: Source<MonitorSpec & RuleSpec>,
  kind: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const item = kind === 'ServiceMonitor' || kind === 'PodMonitor' ? monitorItem(kind, object) : ruleItem(object);
  if (item.problem !== undefined) return item.problem;
  const { namespace } = object.metadata;
  const nobody: Prometheus = { metadata: { namespace, name: 'any', uid: '' }, spec: {} };
  const { leftOut, refused } = await judged(nobody, [item], signal);
  return refused ?? leftOut[0]?.message;
}

function isObject<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function isSame(a: Written, b: Written): boolean {
  return JSON.stringify(a.spec) === JSON.stringify(b.spec);
}
