// `kubectl get` asks the server for a Table: the server, not the client, decides on the columns of a kind and on the
// text of each cell. A table has one row per object; a watch sends one table per event, with one row.
//
// A printer (printer.ts) holds the columns of a kind. The built-in kinds have theirs in the files of this folder, and a
// custom resource gets one from its `additionalPrinterColumns`. A kind without columns of its own shows name and age.

import type { WatchSink } from '../api-request.ts';
import { at, objectAt, objectsAt, present, textAt } from '../json-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { apiVersionOf, type ServedKind } from '../kind.ts';
import { printerOf } from './printers.ts';

/** The parameters of a table. */
export interface TableRequest {
  readonly kind: ServedKind;
  /** `meta.k8s.io/v1` or `meta.k8s.io/v1beta1`. */
  readonly apiVersion: string;
  /** The part of its object that each row includes: `Object`, `None`, or else its metadata. */
  readonly includeObject: string;
  readonly now: number;
}

/** Converts an object or a list to a table; anything else, such as a Status, is returned unchanged. */
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
  // All versions of a kind have the same columns, made from the version in which it is stored.
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

/** Wraps a sink so that the object of each event becomes a table; only the first table has column definitions. */
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
