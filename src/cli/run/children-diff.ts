import type { WantedChild } from '../../effects/children/desired.ts';
import { differences } from '../../effects/children/differs.ts';
import { keyOf, readLiveChild } from '../../effects/children/live-child.ts';
import { marksOf } from '../../effects/children/marks.ts';
import type { ReconcileBinding } from '../../hook/binding.ts';
import { unmarked, type AnsweredContext } from './answered.ts';
import { objectYaml } from './children-text.ts';
import { comparable } from './comparable.ts';
import { lineDiff } from './line-diff.ts';
import type { GivenObject } from './object.ts';
import { isObject } from '../../lib/json-object.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Change {
  readonly type: 'created' | 'changed' | 'deleted' | 'unchanged';
  readonly label: string;
  /** What happens to it besides, in words. */
  readonly note?: string;
  readonly diff: string;
}

const CHANGES = ['created', 'changed', 'deleted', 'unchanged'] as const;

/** A unified diff from the children that are there to those that are wanted, and a line that counts them. */
export function childrenDiff({ binding, wanted, isLater }: AnsweredContext, owned: readonly GivenObject[]): string {
  const live = new Map(owned.map((object) => [keyOf(object), object]));
  const keys = new Set(wanted.map(({ key }) => key));
  const doomed = owned.filter((object) => !keys.has(keyOf(object)));
  const changes = [
    ...wanted.map((child) => changeOf(binding, live.get(child.key), child)),
    ...doomed.map((object) => removalOf(object, isLater)),
  ];
  const counts = CHANGES.map((type) => `${changes.filter((one) => one.type === type).length} ${type}`);
  return `${changes.map(textOf).join('')}# ${counts.join(', ')}\n`;
}

function removalOf(object: GivenObject, isLater: boolean): Change {
  const label = labelOf(object);
  if (isLater) return { type: 'unchanged', label, note: 'stays until the work of the hook is done', diff: '' };
  return { type: 'deleted', label, diff: lineDiff(objectYaml(unmarked(withoutServerFields(object.value))), '') };
}

function changeOf(binding: ReconcileBinding, live: GivenObject | undefined, child: WantedChild): Change {
  const label = labelOf(child);
  const wanted = unmarked(child.object);
  if (live === undefined) return { type: 'created', label, diff: lineDiff('', objectYaml(wanted)) };
  const given = readLiveChild(live.value, marksOf(binding.name, { apiVersion: '', ...binding }));
  const fields = given.fields;
  const isApplied = fields !== undefined && differences(given, child).length === 0;
  if (isApplied) return { type: 'unchanged', label, diff: '' };
  const seen = given.uid === '' ? withoutServerFields(live.value) : comparable(live.value, wanted, fields);
  const diff = lineDiff(objectYaml(unmarked(seen)), objectYaml(wanted));
  if (diff === '' && fields === undefined) return { type: 'unchanged', label, diff };
  const taken = diff === '' ? { note: 'somebody else has taken fields of it' } : {};
  return { type: 'changed', label, diff, ...taken, ...noteOf(child) };
}

function noteOf({ onChange }: WantedChild): Pick<Change, 'note'> {
  switch (onChange) {
    case 'Apply':
      return {};
    case 'OnDelete':
      return { note: 'stays as it is until it is deleted' };
    case 'Recreate':
    case 'RollingRecreate':
      return { note: 'is deleted, and made anew' };
  }
}

function textOf({ type, label, note, diff }: Change): string {
  const [from, to] = [type === 'created' ? '/dev/null' : label, type === 'deleted' ? '/dev/null' : label];
  const head = note === undefined ? '' : `# ${label}: ${note}\n`;
  return diff === '' ? head : `${head}--- ${from}\n+++ ${to}\n${diff}`;
}

/** `apps/v1/Deployment/default/web`. */
function labelOf({ apiVersion, kind, namespace, name }: Pick<GivenObject, Named>): string {
  return [apiVersion, kind, namespace, name].filter((part) => part !== '').join('/');
}

type Named = 'apiVersion' | 'kind' | 'namespace' | 'name';

const SERVER_SET = [
  'uid',
  'resourceVersion',
  'managedFields',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'selfLink',
];

function withoutServerFields({ status: _status, ...object }: Fields): Fields {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return {
    ...object,
    metadata: Object.fromEntries(Object.entries(metadata).filter(([key]) => !SERVER_SET.includes(key))),
  };
}
