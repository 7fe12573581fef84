import type { WatchSink } from '../api-request.ts';
import { at, objectAt, objectsAt, present, textAt } from '../json-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { apiVersionOf, type ServedKind } from '../kind.ts';
import { printerOf } from './printers.ts';

/** What a table is to be made of. */
export interface TableRequest {
  readonly kind: ServedKind;
  /** `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`. */
  readonly apiVersion: string;
  /** What each row carries of its object: `Object`, `None`, or else its metadata. */
  readonly includeObject: string;
  readonly now: number;
}

/** The table of an object or of a list; what is neither, such as a Status, stays as it is. */
export function tableOf(value: JsonValue, request: TableRequest): JsonValue {
  const { kind } = request;
  if (!isJsonObject(value)) return value;
  const given = textAt(value, 'kind');
  if (given !== kind.kind && given !== kind.listKind) return value;
  const objects = given === kind.kind ? [value] : objectsAt(value, 'items');
  return { ...tableFrame(value, request), rows: objects.map((object) => rowOf(object, request)) };
}

function tableFrame(value: JsonObject, { kind, apiVersion }: TableRequest): JsonObject {
  const metadata = objectAt(value, 'metadata');
  const { columns } = printerOf(kind);
  return {
    kind: 'Table',
    apiVersion,
    metadata: present({
      resourceVersion: metadata['resourceVersion'],
      continue: at(value, 'items') === undefined ? undefined : metadata['continue'],
      remainingItemCount: metadata['remainingItemCount'],
    }),
    columnDefinitions: columns.map((column) => ({ ...column })),
  };
}

function rowOf(object: JsonObject, request: TableRequest): JsonObject {
  const { kind, now } = request;
  // Every version of a kind has the same columns, made from the version in which it is stored.
  const cells = printerOf(kind).cells(kind.conversion?.toStored(object) ?? object, now);
  const row: { [field: string]: JsonValue } = { cells, object: carried(object, request) };
  const condition = POD_CONDITIONS[textAt(object, 'status', 'phase')];
  if (kind.collection === 'pods' && condition !== undefined) row['conditions'] = [condition];
  return row;
}

const POD_CONDITIONS: { readonly [phase: string]: JsonObject } = {
  Succeeded: {
    type: 'Completed',
    status: 'True',
    reason: 'Succeeded',
    message: 'The pod has completed successfully.',
  },
  Failed: { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
};

function carried(object: JsonObject, { kind, apiVersion, includeObject }: TableRequest): JsonValue {
  switch (includeObject) {
    case 'None':
      return null;
    case 'Object':
      return { kind: kind.kind, apiVersion: apiVersionOf(kind), ...object };
    default:
      return { kind: 'PartialObjectMetadata', apiVersion, metadata: objectAt(object, 'metadata') };
  }
}

/** A sink that makes a table of each event's object; only the first table names its columns. */
export function tableSink(sink: WatchSink, request: TableRequest): WatchSink {
  let first = true;
  return {
    write: (line, kind) => {
      const event: JsonValue = JSON.parse(String(line));
      const table = tableOf(objectAt(event, 'object'), request);
      const named = first || !isJsonObject(table) ? table : { ...table, columnDefinitions: null };
      const object = isJsonObject(table) && table['kind'] === 'Table' ? named : table;
      first = false;
      sink.write(`${JSON.stringify({ type: textAt(event, 'type'), object })}\n`, kind);
    },
    end: () => sink.end(),
    onClose: (listener) => sink.onClose(listener),
  };
}
