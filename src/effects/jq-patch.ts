import { isDeepStrictEqual } from 'node:util';

import { FilterError } from '../errors.ts';
import { isMissing } from '../kube/api-error.ts';
import { versionOf, withVersion } from './api-object.ts';
import { received } from './field-reader.ts';
import type { JqPatchOperation } from './operation.ts';
import {
  retrying,
  send,
  written,
  type Outcome,
  type CompileJq,
  type PatchSession,
  type Place,
} from './patch-session.ts';
import { messageOf } from '../lib/message-of.ts';
import { isObject, type JsonObject } from '../lib/json-object.ts';

/** Carries out JQPatch: reads the object, runs the expression on it, and writes the result back if it differs. */
export async function jqPatch(session: PatchSession, place: Place, operation: JqPatchOperation): Promise<Outcome> {
  const transform = compile(session, operation.jqFilter);
  // The status is read with the main object, which the hook has the right to get; other subresources, such as the
  // scale, are separate objects.
  const readFrom = operation.subresource === 'status' ? place.object : place.path;
  try {
    return await retrying(session, { retriesConflicts: true, retriesLost: true }, async () => {
      const live = await send(session, { method: 'GET', path: readFrom, isExact: true });
      const version = versionOf(live);
      session.memory.remember(place.object, version);
      const changed = withVersion(await transform(live), version);
      if (isDeepStrictEqual(changed, live)) return { change: 'unchanged', resourceVersion: version };
      const answer = await send(session, { method: 'PUT', path: place.path, body: JSON.stringify(changed) });
      return written(session, place, { answer, change: 'patched' });
    });
  } catch (error) {
    if (operation.ignoreMissingObject && isMissing(error)) return { change: 'absent' };
    throw error;
  }
}

function compile({ compileJq }: PatchSession, expression: string): (live: unknown) => Promise<JsonObject> {
  if (compileJq === undefined) throw new Error('jq is not available here');
  const run = compileJq(expression);
  return async (live) => {
    const outputs = await runOn(run, live);
    const [object] = outputs;
    if (outputs.length === 1 && isObject(object)) return object;
    const got = outputs.length === 1 ? received(object) : `${outputs.length} outputs`;
    throw new Error(`jqFilter returned ${got}, expected the whole changed object; the expression is "${expression}"`);
  };
}

async function runOn(run: ReturnType<CompileJq>, live: unknown): Promise<readonly unknown[]> {
  try {
    return [...(await run(live))];
  } catch (error) {
    const reason = messageOf(error);
    throw new FilterError(`jqFilter failed on the object: ${reason}`, { cause: error });
  }
}
