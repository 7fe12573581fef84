import { SEEN_VERBS, type SeenOperation } from '../../rights/operation-needs.ts';
import { askOperator, type SocketFlags } from '../control/asking.ts';
import { isObject } from '../../lib/json-object.ts';

/** What the hooks of a running operator asked for; undefined: nobody answers, which is printed. */
export async function readObserved(flags: SocketFlags): Promise<readonly SeenOperation[] | undefined> {
  let found: readonly SeenOperation[] | undefined;
  await askOperator(flags, async ({ client, stderr, signal }) => {
    const { operations, dropped } = await client.ask('GET', '/rights', signal);
    found = Array.isArray(operations) ? operations.flatMap(seenOf) : [];
    if (typeof dropped === 'number' && dropped > 0) {
      stderr(`warning: the operator has forgotten ${dropped} kinds of operations, for it remembers a limited number\n`);
    }
    return 0;
  });
  return found;
}

function seenOf(value: unknown): SeenOperation | [] {
  if (!isObject(value)) return [];
  const { hook, verb: said, kind, apiVersion, namespace, subresource, count } = value;
  const verb = SEEN_VERBS.find((one) => one === said);
  if (verb === undefined || typeof hook !== 'string' || typeof kind !== 'string') return [];
  return {
    hook,
    verb,
    target: { kind, ...(typeof apiVersion === 'string' && { apiVersion }) },
    namespace: typeof namespace === 'string' ? namespace : '',
    subresource: typeof subresource === 'string' ? subresource : '',
    count: typeof count === 'number' ? count : 1,
  };
}
