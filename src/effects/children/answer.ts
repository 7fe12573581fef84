import type { ReconcileBinding } from '../../hook/binding.ts';
import type { DesiredChild } from '../../hook/result.ts';
import { readDesired, type CheckedAnswer } from './desired.ts';
import { readKinds, type KindSource } from './kind-table.ts';
import { marksOf, type Parent } from './marks.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** The children that a hook answered with, for one parent. */
export interface GivenAnswer {
  readonly binding: Pick<ReconcileBinding, 'name' | 'owns'>;
  readonly parent: Parent;
  readonly desired: readonly DesiredChild[];
}

/** Looks up the kinds of an answer and checks it as a whole; rejects when the kinds cannot be looked up. */
export async function readAnswer(
  { binding, parent, desired }: GivenAnswer,
  source: KindSource,
): Promise<CheckedAnswer> {
  const kinds = await readKinds(
    binding.owns,
    desired.map(({ object }) => ({ apiVersion: textAt(object, 'apiVersion'), kind: textAt(object, 'kind') })),
    source,
  );
  return readDesired({ parent, marks: marksOf(binding.name, parent), desired, kinds });
}

function textAt(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}
