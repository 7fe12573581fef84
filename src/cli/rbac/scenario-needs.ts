/*
 * What hooks need, by what they did in their scenarios: the requests of the hooks themselves, such as with kubectl, and
 * what hooklet sent for their runs. A patch operation has the rights of all its branches. Bindings are not read from
 * here: they say themselves what they need.
 */

import type { JsonObject } from '@hooklet/sandbox';
import type { Binding, Hook, ObjectSelection } from '../../hook/binding.ts';
import { placeOfPath } from '../../operator/dry-run/object-place.ts';
import { RECORD_MANAGER } from '../../effects/compare-and-set.ts';
import type { FindResource } from '../../rights/known-resource.ts';
import type { Need, NeedOwner } from '../../rights/need.ts';
import { operationNeeds, SEEN_VERBS, type SeenOperation } from '../../rights/operation-needs.ts';
import { RequestCounts, type CountedRequest } from '../../rights/request-counts.ts';
import type { ToldStory } from '../../scenario/story/run-stories.ts';
import type { Moment, Request, Write } from '../../scenario/timeline.ts';
import { isObject } from '../../lib/json-object.ts';

export interface ScenarioNeedsOptions {
  readonly hooks: readonly Pick<Hook, 'name' | 'bindings'>[];
  readonly find: FindResource;
  /** The namespace in which hooklet will run. */
  readonly home: string;
}

export interface ScenarioNeeds {
  readonly needs: readonly Need[];
  /** The hooks that ran in no scenario, so that nobody knows what they write. */
  readonly notRun: readonly string[];
  /** The hooks of scenarios that are not asked about. */
  readonly foreign: readonly string[];
}

/** Where a program writes when neither its environment nor its arguments name a namespace. */
const DEFAULT_NAMESPACE = 'default';
const EVERYWHERE = 'in all namespaces, because the hook follows them all';

/** What the hooks did in these stories. */
export function scenarioNeeds(stories: readonly ToldStory[], options: ScenarioNeedsOptions): ScenarioNeeds {
  const counts = new RequestCounts('in the scenarios');
  const operations = new Map<string, SeenOperation>();
  const ran = new Set<string>();
  const places = new Places(options);
  const known = new Set(options.hooks.map(({ name }) => name));
  for (const { scenario, timeline } of stories) {
    const { POD_NAMESPACE: own } = scenario.given.env;
    const hookOf = hooksOfRuns(timeline);
    for (const hook of hookOf.values()) ran.add(hook);
    for (const moment of timeline) {
      for (const request of requestsOf(moment, hookOf, options.find)) {
        if (known.has(request.hook)) counts.note(places.placed(request, own));
      }
      const seen = operationOf(moment, options.find);
      if (seen === undefined || !known.has(seen.hook)) continue;
      const { group, plural: resource } = options.find(seen.target);
      const { hook, namespace } = seen;
      const operation = { ...seen, namespace: places.namespaceOf({ hook, group, resource, namespace }, own) };
      const key = JSON.stringify(operation);
      operations.set(key, { ...operation, count: (operations.get(key)?.count ?? 0) + 1 });
    }
  }
  const ofOperations = [...operations.values()].flatMap((one) => operationNeeds(one, options.find));
  const rights = new Set(ofOperations.map(rightKey));
  const asked = counts.needs().filter((need) => !rights.has(rightKey(need)));
  return {
    needs: [...ofOperations, ...asked].map((need) => places.explained(need)),
    notRun: [...known].filter((hook) => !ran.has(hook)),
    foreign: [...ran].filter((hook) => !known.has(hook)),
  };
}

function rightKey({ of, group, resource, verb, namespace }: Need): string {
  return JSON.stringify([of, group, resource, verb, namespace]);
}

function hooksOfRuns(timeline: readonly Moment[]): ReadonlyMap<string, string> {
  return new Map(timeline.flatMap((one) => (one.type === 'run-started' ? [[one.run, one.hook] as const] : [])));
}

interface AskedByHook extends Omit<CountedRequest, 'of'> {
  readonly hook: string;
}

/** Requests for a run; Events and applied objects are known by what was written. */
function requestsOf(moment: Moment, hookOf: ReadonlyMap<string, string>, find: FindResource): readonly AskedByHook[] {
  if (moment.type !== 'request' && moment.type !== 'write') return [];
  const hook = hookOf.get(moment.run ?? '');
  if (hook === undefined) return [];
  const asked = moment.type === 'request' ? askedBy(moment) : writtenBy(moment, find);
  return asked.map((one) => ({ ...one, hook }));
}

type Asked = Omit<AskedByHook, 'hook'>;

function askedBy({ by, method, path }: Request): readonly Asked[] {
  const [bare = '', query = ''] = path.split('?');
  const place = placeOfPath(bare);
  if (place === undefined) return [];
  const { apiVersion, resource, subresource, namespace, name } = place;
  const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  // What hooklet keeps in an annotation is read after a conflict.
  const isRecord = by === 'hooklet' && method === 'PATCH' && new URLSearchParams(query).get(MANAGER) === RECORD_MANAGER;
  const verbs = [verbOf(method, name !== ''), ...(isRecord ? ['get'] : [])];
  return verbs.map((verb) => ({ group, resource: whole, verb, namespace, name }));
}

const MANAGER = 'fieldManager';

function verbOf(method: string, isNamed: boolean): string {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return isNamed ? 'delete' : 'deletecollection';
    default:
      return isNamed ? 'get' : 'list';
  }
}

/** What requests do not say: of an apply that it may create; those for Events are not told. */
function writtenBy({ verb, object, subresource = '', before, after }: Write, find: FindResource): readonly Asked[] {
  if (subresource !== '' || (object.kind !== 'Event' && verb !== 'apply')) return [];
  const { group, plural } = find({ apiVersion: object.apiVersion, kind: object.kind });
  const { namespace, name } = object;
  const base = { group, resource: plural, namespace, name };
  // A finalizer is applied to an object with its uid, which creates none.
  if (verb === 'apply' && onlyFinalizersDiffer(before, after)) return [{ ...base, verb: 'patch' }];
  return (verb === 'apply' ? ['create', 'patch'] : [verb]).map((one) => ({ ...base, verb: one }));
}

function onlyFinalizersDiffer(before: JsonObject | undefined, after: JsonObject | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const rest = ({ metadata, ...fields }: JsonObject): string => {
    const {
      finalizers: _,
      resourceVersion: _version,
      managedFields: _fields,
      ...kept
    } = isObject(metadata) ? metadata : {};
    return JSON.stringify([kept, fields]);
  };
  return rest(before) === rest(after);
}

/** The patch operation of which a line of the log tells that it was carried out. */
function operationOf(moment: Moment, find: FindResource): SeenOperation | undefined {
  if (moment.type !== 'log' || moment.message !== 'patch applied') return undefined;
  const { hook, operation, object } = moment.fields;
  const verb = SEEN_VERBS.find((one) => one === operation);
  if (verb === undefined || typeof hook !== 'string') return undefined;
  return { hook, verb, ...targetOf(object, find), count: 1 };
}

/** Reads `apps/v1/Deployment/default/web/scale`, as `describeTarget` writes it. */
function targetOf(told: unknown, find: FindResource): Pick<SeenOperation, 'target' | 'namespace' | 'subresource'> {
  const text = typeof told === 'string' ? told : '';
  const parts = text.split('/');
  const ofVersion = /^v\d/.test(text) ? 1 : 2;
  const target = { apiVersion: parts.slice(0, ofVersion).join('/'), kind: parts[ofVersion] ?? '' };
  const rest = parts.slice(ofVersion + 1);
  const [namespace = '', , subresource = ''] = find(target).isNamespaced ? rest : ['', ...rest];
  return { target, namespace, subresource };
}

/** Where the rules belong for what was done in a scenario, whose namespaces may be examples. */
class Places {
  readonly #options: ScenarioNeedsOptions;
  readonly #all = new Set<string>();
  readonly #named = new Map<string, ReadonlySet<string>>();
  /** The rights that were widened. */
  readonly #widened = new Set<string>();

  constructor(options: ScenarioNeedsOptions) {
    this.#options = options;
    for (const { name, bindings } of options.hooks) {
      const selections = bindings.flatMap(selectionsOf);
      if (selections.some((one) => followsAll(one, options.find))) this.#all.add(name);
      const names = selections.flatMap(({ namespace }) => (namespace?.type === 'names' ? namespace.names : []));
      this.#named.set(name, new Set(names));
    }
  }

  placed(asked: AskedByHook, own: string | undefined): CountedRequest {
    const { hook, ...rest } = asked;
    const of: NeedOwner = { type: 'hook', hook };
    return { ...rest, of, namespace: this.namespaceOf(asked, own) };
  }

  /** Empty: in all. A namespace that a binding names is meant; that of the Pod is where hooklet will run. */
  namespaceOf(asked: Omit<AskedByHook, 'verb' | 'name'>, own: string | undefined): string {
    const { hook, namespace } = asked;
    const { home } = this.#options;
    const named = this.#named.get(hook);
    if (namespace === '' || named?.has(namespace) === true) return namespace;
    // A hook that names where it will run was told another place in the scenario.
    if (namespace === (own ?? (named?.has(home) === true ? DEFAULT_NAMESPACE : ''))) return home;
    if (!this.#all.has(hook)) return namespace;
    this.#widened.add(kindKey(asked));
    return '';
  }

  explained(need: Need): Need {
    const hook = need.of.type === 'hook' ? need.of.hook : '';
    const isWide = need.namespace === '' && this.#widened.has(kindKey({ ...need, hook }));
    return isWide ? { ...need, reason: `${need.reason}, ${EVERYWHERE}` } : need;
  }
}

function kindKey({ hook, group, resource }: Pick<AskedByHook, 'hook' | 'group' | 'resource'>): string {
  return JSON.stringify([hook, group, resource.split('/')[0]]);
}

function selectionsOf(binding: Binding): readonly (ObjectSelection & { kind: string; apiVersion?: string })[] {
  switch (binding.type) {
    case 'kubernetes':
      return [binding];
    case 'reconcile':
      return [binding, ...binding.watches];
    case 'onStartup':
    case 'schedule':
    case 'http':
    case 'kubernetesValidating':
    case 'kubernetesMutating':
    case 'kubernetesCustomResourceConversion':
      return [];
  }
}

/** Objects of all namespaces, or the namespaces themselves. */
function followsAll(selection: ReturnType<typeof selectionsOf>[number], find: FindResource): boolean {
  const { namespace } = selection;
  const { group, plural, isNamespaced } = find(selection);
  if (!isNamespaced) return group === '' && plural === 'namespaces';
  return namespace === undefined || namespace.type === 'labels' || namespace.names.length === 0;
}
