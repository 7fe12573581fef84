import { expect } from 'vitest';

import { applyOperations, type AppliedOperation } from '../../src/effects/apply-operations.ts';
import type { PatchOperation } from '../../src/effects/operation.ts';
import { parseOperations } from '../../src/effects/parse-operations.ts';
import type { PatchMemory } from '../../src/effects/patch-memory.ts';
import type { CompileJq } from '../../src/effects/patch-session.ts';
import { recordingLogger } from './recording-logger.ts';
import { fixedKinds, resourceKind, kubeConversation, type Exchange } from './kube-conversation.ts';

export interface Script {
  /** As a hook writes them, or the text of a file. */
  readonly operations: readonly object[] | string;
  readonly script: readonly Exchange[];
  readonly memory?: PatchMemory;
  readonly compileJq?: CompileJq;
  readonly signal?: AbortSignal;
}

const KINDS = [
  resourceKind('v1', 'ConfigMap'),
  resourceKind('v1', 'Namespace', false),
  resourceKind('v1', 'Pod'),
  resourceKind('apps/v1', 'Deployment'),
  resourceKind('example.com/v1', 'Widget'),
];

/** Applies operations against a scripted conversation, all of which must take place. */
export async function converse({ operations, script, ...options }: Script) {
  const client = kubeConversation(script);
  const kinds = fixedKinds(KINDS);
  const log = recordingLogger();
  const applied: AppliedOperation[] = [];
  const signal = options.signal ?? new AbortController().signal;
  let error: unknown;
  try {
    await applyOperations(parse(operations), {
      ...options,
      client,
      kinds,
      log,
      signal,
      onApplied: (one) => applied.push(one),
    });
  } catch (thrown) {
    error = thrown;
  }
  expect(client.rest).toEqual([]);
  const bodies = client.requests.map(({ body }): unknown =>
    body === undefined ? undefined : JSON.parse(String(body)),
  );
  return {
    applied,
    error,
    message: error instanceof Error ? error.message : '',
    requests: client.requests,
    bodies,
    kinds,
    log,
  };
}

function parse(operations: readonly object[] | string): readonly PatchOperation[] {
  const text =
    typeof operations === 'string' ? operations : operations.map((operation) => JSON.stringify(operation)).join('\n');
  return parseOperations(text, () => undefined).operations;
}
