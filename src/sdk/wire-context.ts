import type { Bindings } from './bindings.ts';
import { isFiltered, kubernetesNames } from './config.ts';
import type { Context, Snapshots } from './context.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Converts the binding contexts of the operator, parsed from JSON, to those of the declared bindings. */
export function readContexts<B extends Bindings>(bindings: B, wire: unknown): readonly Context<B>[] {
  if (!Array.isArray(wire)) throw new TypeError('the binding context is not a JSON array');
  // The cast is safe because the operator wrote the contexts for the config of the same declarations.
  return wire.map((context: unknown) => readContext(bindings, fieldsOf(context)) as Context<B>);
}

/**
 * The snapshots of a run. Reading one that the operator did not send throws, because an empty list would wrongly say
 * that there are no objects.
 */
export function readSnapshots<B extends Bindings>(bindings: B, wire: unknown): Snapshots<B> {
  const sent: Fields = Object.assign({}, ...listOf(wire).map((context) => fieldsOf(fieldsOf(context)['snapshots'])));
  const snapshots: Record<string, unknown> = {};
  for (const name of kubernetesNames(bindings)) {
    const items = sent[name];
    if (items === undefined) Object.defineProperty(snapshots, name, { enumerable: true, get: missing(name) });
    else snapshots[name] = readItems(bindings, name, items);
  }
  return snapshots as Snapshots<B>;
}

function missing(name: string): () => never {
  return () => {
    throw new Error(
      `no context of this run has snapshots.${name}; on startup there are none, because nothing is watched yet`,
    );
  };
}

function readContext(bindings: Bindings, wire: Fields): Fields {
  const { type, binding } = wire;
  if (type === undefined) return { type: 'OnStartup', binding: startupName(bindings) };
  const name = String(binding);
  if (type === 'Synchronization') {
    const { reason } = wire;
    const objects = readItems(bindings, name, wire['objects']);
    return { type, binding, objects, ...(reason !== undefined && { reason }) };
  }
  if (type === 'Event') return { type, binding, watchEvent: wire['watchEvent'], ...itemFields(wire) };
  if (type === 'Validating' || type === 'Mutating') {
    return { type, binding, request: fieldsOf(wire['review'])['request'] };
  }
  if (type === 'Http') return httpContext(wire);
  if (type === 'Group') return { type, binding, groupName: wire['groupName'] };
  return { type, binding, ...scheduleFields(wire) };
}

function httpContext({ type, binding, request, caller, runId, receivedAt }: Fields): Fields {
  return { type, binding, request, caller, runId, receivedAt };
}

function scheduleFields({ scheduledAt, reason, attempt, runId, lastSuccess }: Fields): Fields {
  const fields = { scheduledAt, reason, attempt, runId, lastSuccess };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function startupName(bindings: Bindings): string | undefined {
  return Object.keys(bindings).find((name) => bindings[name]?.type === 'onStartup');
}

function readItems(bindings: Bindings, name: string, items: unknown): readonly unknown[] {
  const declaration = bindings[name];
  const list = listOf(items).map(fieldsOf);
  if (declaration?.type !== 'kubernetes' || !isFiltered(declaration.options)) return list.map(({ object }) => object);
  if (declaration.options.keepFullObjectsInMemory === true) return list.map(itemFields);
  return list.map(({ filterResult }) => filterResult ?? null);
}

function itemFields({ object, filterResult, filterError }: Fields): Fields {
  return {
    ...(object === undefined ? {} : { object }),
    ...(filterResult === undefined ? {} : { filterResult }),
    ...(filterError === undefined ? {} : { filterError }),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: unknown): Fields {
  // Not copied: an object may be large.
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
