import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyOperations, type AppliedOperation } from '../../src/effects/apply-operations.ts';
import { parseOperations } from '../../src/effects/parse-operations.ts';
import type { KubeClient, KubeRequest } from '../../src/kube/client.ts';
import { fixedKinds, resourceKind } from '../support/kube-conversation.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const KINDS = [resourceKind('v1', 'ConfigMap'), resourceKind('v1', 'Secret'), resourceKind('v1', 'Namespace', false)];

/** The begin or the end of a request, as the server sees it. */
interface Step {
  readonly type: 'begins' | 'ends';
  readonly request: KubeRequest;
}

/** A server that answers a request after as many turns of the microtask queue as `turnsOf` returns. */
function slowServer(turnsOf: (request: KubeRequest) => number) {
  const steps: Step[] = [];
  const unsupported = (): never => {
    throw new Error('not expected here');
  };
  const client: KubeClient = {
    async request(request) {
      steps.push({ type: 'begins', request });
      for (let turn = turnsOf(request); turn > 0; turn--) await Promise.resolve();
      steps.push({ type: 'ends', request });
      return {};
    },
    bytes: unsupported,
    lines: unsupported,
    chunks: unsupported,
    close: async () => {},
  };
  return { client, steps };
}

async function apply(operations: readonly object[], client: KubeClient): Promise<readonly AppliedOperation[]> {
  const text = operations.map((operation) => JSON.stringify(operation)).join('\n');
  const reported: AppliedOperation[] = [];
  await applyOperations(parseOperations(text, () => undefined).operations, {
    client,
    kinds: fixedKinds(KINDS),
    signal: new AbortController().signal,
    log: recordingLogger(),
    onApplied: (applied) => reported.push(applied),
  });
  return reported;
}

/** The largest number of requests that were under way at the same time. */
function mostAtOnce(steps: readonly Step[]): number {
  let now = 0;
  return Math.max(...steps.map(({ type }) => (now += type === 'begins' ? 1 : -1)));
}

function workOf({ method, path }: KubeRequest): string {
  return `${method} ${path.slice(0, path.lastIndexOf('/'))}`;
}

const merge = (kind: string, name: string, namespace = 'default') => ({
  operation: 'MergePatch',
  kind,
  name,
  ...(kind !== 'Namespace' && { namespace }),
  mergePatch: { data: null },
});

describe('neighbors that ask for the same of different objects of one kind', () => {
  it('are sent side by side, 32 at once, after the first has its answer', async () => {
    const { client, steps } = slowServer(() => 50);

    await apply(
      Array.from({ length: 100 }, (_, index) => merge('ConfigMap', `m-${index}`)),
      client,
    );

    expect(steps.slice(0, 2).map(({ type }) => type)).toEqual(['begins', 'ends']);
    expect(mostAtOnce(steps)).toBe(32);
  });

  it('are different objects where one name is in two namespaces, but not of a kind without namespaces', async () => {
    const { client, steps } = slowServer(() => 50);
    const inNamespaces = ['a', 'b', 'c'].map((namespace) => merge('ConfigMap', 'same', namespace));
    await apply(inNamespaces, client);

    expect(mostAtOnce(steps)).toBe(2);

    const other = slowServer(() => 50);
    await apply(
      ['a', 'b', 'c'].map((namespace) => ({ ...merge('Namespace', 'same'), namespace })),
      other.client,
    );

    expect(mostAtOnce(other.steps)).toBe(1);
  });
});

describe('whatever a hook asks for', () => {
  const operation = fc.oneof(
    fc
      .record({ kind: fc.constantFrom('ConfigMap', 'Secret', 'Namespace'), name: fc.constantFrom('a', 'b', 'c', 'd') })
      .map(({ kind, name }) => merge(kind, name)),
    fc
      .record({ kind: fc.constantFrom('ConfigMap', 'Secret'), name: fc.constantFrom('a', 'b', 'c', 'd') })
      .map((target) => ({ operation: 'DeleteInBackground', namespace: 'default', ...target })),
  );

  it('keeps the order of the requests of one object, and of those of different work, and reports in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 30 }), fc.infiniteStream(fc.nat(20)), async (all, turns) => {
        const { client, steps } = slowServer(() => turns.next().value ?? 0);

        const reported = await apply(all, client);

        const underway: KubeRequest[] = [];
        const done: string[] = [];
        for (const { type, request } of steps) {
          if (type === 'begins') {
            expect(
              underway.filter((other) => other.path === request.path || workOf(other) !== workOf(request)),
            ).toEqual([]);
            underway.push(request);
          } else {
            underway.splice(underway.indexOf(request), 1);
            done.push(`${request.method} ${request.path}`);
          }
        }
        const asked = all.map(({ operation: verb, kind, name }) => {
          const place = kind === 'Namespace' ? '/api/v1' : '/api/v1/namespaces/default';
          return `${verb === 'MergePatch' ? 'PATCH' : 'DELETE'} ${place}/${kind.toLowerCase()}s/${name}`;
        });
        for (const one of new Set(asked.map((line) => line.slice(line.indexOf('/'))))) {
          expect(done.filter((line) => line.endsWith(one))).toEqual(asked.filter((line) => line.endsWith(one)));
        }
        expect(reported.map(({ index }) => index)).toEqual(all.map((_, position) => position + 1));
      }),
    );
  });
});
