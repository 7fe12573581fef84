import { at, objectAt, objectsAt, textAt, textsAt } from '../json-fields.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { bytesField, messageBytes } from '../protobuf/writer.ts';

/** The media type of the OpenAPI v2 document in protobuf, the only form that older Go clients read. */
export const OPENAPI_2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** Encodes an OpenAPI v2 document in protobuf. */
export function openApi2Bytes(document: JsonObject): Buffer {
  const info = objectAt(document, 'info');
  return messageBytes([
    bytesField(1, textAt(document, 'swagger')),
    bytesField(2, messageBytes([bytesField(1, textAt(info, 'title')), bytesField(2, textAt(info, 'version'))])),
    bytesField(8, named(2, objectAt(document, 'paths'), pathBytes)),
    bytesField(9, named(1, objectAt(document, 'definitions'), schemaBytes)),
  ]);
}

/** Encodes a map: each entry is a field with a name and a value. */
function named(number: number, values: JsonObject, encode: (value: JsonObject) => Buffer): Buffer {
  const entries = Object.entries(values).map(([name, value]) =>
    bytesField(number, messageBytes([bytesField(1, name), bytesField(2, encode(objectAt(value)))])),
  );
  return messageBytes(entries);
}

const METHODS: { readonly [method: string]: number } = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };

function pathBytes(path: JsonObject): Buffer {
  const operations = Object.entries(path).map(([method, operation]) => {
    const number = METHODS[method];
    return number === undefined ? undefined : bytesField(number, operationBytes(objectAt(operation)));
  });
  return messageBytes(operations);
}

function operationBytes(operation: JsonObject): Buffer {
  return messageBytes([
    ...objectsAt(operation, 'parameters').map((parameter) => bytesField(8, parameterBytes(parameter))),
    bytesField(9, named(1, objectAt(operation, 'responses'), responseBytes)),
    ...extensions(13, operation),
  ]);
}

/** Encodes a query parameter, inside the messages that distinguish it from other parameters. */
function parameterBytes(parameter: JsonObject): Buffer {
  const query = messageBytes([
    bytesField(2, textAt(parameter, 'in')),
    bytesField(4, textAt(parameter, 'name')),
    bytesField(6, textAt(parameter, 'type')),
  ]);
  return messageBytes([bytesField(1, messageBytes([bytesField(2, messageBytes([bytesField(3, query)]))]))]);
}

function responseBytes(response: JsonObject): Buffer {
  return messageBytes([bytesField(1, messageBytes([bytesField(1, textAt(response, 'description'))]))]);
}

function schemaBytes(schema: JsonObject): Buffer {
  const inner = (name: string): Buffer | undefined => {
    const value = at(schema, name);
    return isJsonObject(value) ? messageBytes([bytesField(1, schemaBytes(value))]) : undefined;
  };
  const properties = at(schema, 'properties');
  const type = text(at(schema, 'type'));
  return messageBytes([
    bytesField(1, text(at(schema, '$ref'))),
    bytesField(2, text(at(schema, 'format'))),
    bytesField(4, text(at(schema, 'description'))),
    ...textsAt(schema, 'required').map((name) => bytesField(19, name)),
    bytesField(21, inner('additionalProperties')),
    bytesField(22, type === undefined ? undefined : messageBytes([bytesField(1, type)])),
    bytesField(23, inner('items')),
    bytesField(25, isJsonObject(properties) ? named(1, properties, schemaBytes) : undefined),
    ...extensions(31, schema),
  ]);
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Encodes the extensions of an object; their values are YAML, of which JSON is a subset. */
function extensions(number: number, object: JsonObject): readonly (Buffer | undefined)[] {
  return Object.entries(object)
    .filter(([name]) => name.startsWith('x-'))
    .map(([name, value]) => {
      const yaml = messageBytes([bytesField(2, `${JSON.stringify(value)}\n`)]);
      return bytesField(number, messageBytes([bytesField(1, name), bytesField(2, yaml)]));
    });
}
