import { UsageError } from '../../errors.ts';
import { nearest } from '../../hook/nearest.ts';
import { findKind } from '../../kube/discovery/kind-search.ts';
import { shown } from '../../lib/shown.ts';
import { builtInKinds } from '../built-in-kinds.ts';

/** What a new hook is to be run for. */
export type HookPlan =
  | { readonly type: 'schedule' | 'startup' | 'http'; readonly name: string }
  | { readonly type: 'kubernetes' | 'webhook' | 'reconcile'; readonly name: string; readonly kind: PlannedKind };

/** A kind, as far as it is known. */
export interface PlannedKind {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

const PLAIN = ['schedule', 'startup', 'http'] as const;
const WITH_KIND = ['webhook', 'reconcile'] as const;

/** Reads the words of `--on`, such as `Pod`, `schedule`, or `reconcile example.com/v1/Page`; throws `UsageError`. */
export function hookPlan(name: string, words: readonly string[]): HookPlan {
  const [first = '', second, ...more] = words;
  const plain = PLAIN.find((type) => type === first);
  const withKind = WITH_KIND.find((type) => type === first);
  const extra = withKind === undefined ? second : more[0];
  if (extra !== undefined)
    throw new UsageError(
      `--on: got ${shown(words.join(' '))}, expected nothing after ${shown(words[words.indexOf(extra) - 1] ?? '')}`,
    );
  if (plain !== undefined) return { type: plain, name };
  if (withKind === undefined) return { type: 'kubernetes', name, kind: plannedKind(first, true) };
  if (withKind === 'webhook') return { type: withKind, name, kind: plannedKind(second ?? 'Pod') };
  if (second === undefined)
    throw new UsageError(
      '--on: reconcile needs the kind of the objects that say what should be there, such as reconcile example.com/v1/Page',
    );
  return { type: withKind, name, kind: plannedKind(second) };
}

const SEGMENT = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/;

function plannedKind(text: string, mayBeOther = false): PlannedKind {
  const slash = text.lastIndexOf('/');
  const [apiVersion, kind] = slash < 0 ? [undefined, text] : [text.slice(0, slash), text.slice(slash + 1)];
  const found = findKind(builtInKinds(), { kind, ...(apiVersion !== undefined && { apiVersion }) });
  const planned = found ?? customKind(apiVersion?.split('/') ?? [], kind);
  if (planned !== undefined) return planned;
  throw new UsageError(`--on: got ${shown(text)}, ${expectation(text, mayBeOther)}`);
}

function customKind([group = '', version = '', ...more]: readonly string[], kind: string): PlannedKind | undefined {
  if (more.length > 0 || !SEGMENT.test(group) || !SEGMENT.test(version) || !KIND.test(kind)) return undefined;
  return { group, version, apiVersion: `${group}/${version}`, kind, plural: pluralOf(kind), isNamespaced: true };
}

function expectation(text: string, mayBeOther: boolean): string {
  const others = mayBeOther ? [...PLAIN, ...WITH_KIND] : [];
  const meant = nearest(text, [...others, ...builtInKinds().map(({ kind }) => kind)]);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  const first = others.length === 0 ? '' : `${others.join(', ')}, or `;
  return `expected ${first}a kind that every cluster has, or GROUP/VERSION/KIND such as example.com/v1/Page${hint}`;
}

/** As English makes most plurals. */
function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/(?:s|x|z|ch|sh)$/.test(lower)) return `${lower}es`;
  return /[^aeiou]y$/.test(lower) ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}
