import { shownName } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';
import type { DryWrite } from './dry-client.ts';
import { changeText, fieldChanges } from './field-changes.ts';

/** What a hook would change of an object. */
export interface DryChange {
  readonly hook: string;
  readonly change: 'create' | 'change' | 'delete' | 'unknown';
  /** `apps/v1/Deployment/default/web`, with its subresource. */
  readonly object: string;
  /** The fields, as text. */
  readonly fields: readonly string[];
  /** The number of further fields. */
  readonly moreFields?: number;
  /** What to know about it. */
  readonly note?: string;
}

const MAX_FIELDS = 40;
const MAX_NAME = 253;

/** What a write would change; undefined where it would change nothing. */
export function dryChangeOf(hook: string, write: DryWrite): DryChange | undefined {
  const { verb, before, after, untried } = write;
  const base = { hook, object: labelOf(write) };
  if (untried !== undefined) return { ...base, change: 'unknown', fields: [], note: untried };
  if (verb === 'delete') return before.type === 'absent' ? undefined : { ...base, change: 'delete', fields: [] };
  if (before.type === 'unknown') {
    return {
      ...base,
      change: 'unknown',
      fields: [],
      note: `it cannot be read, so what would change is not known: ${before.reason}`,
    };
  }
  const isNew = before.type === 'absent';
  const changes = fieldChanges(isNew ? undefined : before.object, after).filter(
    ({ path }) => !isNew || !isServers(path),
  );
  if (changes.length === 0) return undefined;
  const isSecret = write.place.resource === 'secrets' && write.place.apiVersion === 'v1';
  const more = changes.length - MAX_FIELDS;
  return {
    ...base,
    change: isNew ? 'create' : 'change',
    fields: changes.slice(0, MAX_FIELDS).map((change) => changeText(change, isSecret)),
    ...(more > 0 && { moreFields: more }),
  };
}

/** Of a new object its name is in its label, and its status is not of the hook. */
function isServers([first, second]: readonly string[]): boolean {
  if (first === 'metadata') return ['name', 'namespace'].includes(second ?? '');
  return ['apiVersion', 'kind', 'status'].includes(first ?? '');
}

/** By the kind where an answer has it, else by the resource. */
function labelOf({ place, path, before, after }: DryWrite): string {
  const known = isObject(after) ? after : before.type === 'object' && isObject(before.object) ? before.object : {};
  const { kind, metadata } = known;
  const named = isObject(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : undefined;
  const name = named ?? decodeURIComponent(path.split('/').at(-1) ?? '');
  const isOwnKind = typeof kind === 'string' && known['apiVersion'] === place.apiVersion;
  const parts = [place.apiVersion, isOwnKind ? kind : place.resource, place.namespace, name, place.subresource];
  return parts
    .filter((part) => part !== '')
    .map((part) => shownName(part, MAX_NAME))
    .join('/');
}
