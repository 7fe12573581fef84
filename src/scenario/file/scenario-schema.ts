import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { emptyContext } from './context.ts';
import { story } from './story.ts';

/**
 * The JSON Schema of a scenario file, for editors, made of the readers themselves: what they refuse by name, word or
 * type, it refuses too.
 */
export function scenarioSchema(): JsonObject {
  const { schema } = story(emptyContext());
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const given = isJsonObject(properties['given']) ? properties['given'] : {};
  const givenProperties = isJsonObject(given['properties']) ? given['properties'] : {};
  const { expect = {}, ...others } = givenProperties;
  // Each step has the same expectations, so they are written once.
  const whole = JSON.stringify({ ...schema, properties: { ...properties, given: { ...given, properties: others } } });
  const body = JSON.stringify(bare(expect));
  const shared: unknown = JSON.parse(whole.replaceAll(body, '{"$ref":"#/definitions/expect"}'));
  const rest = isJsonObject(shared) ? shared : {};
  const restProperties = isJsonObject(rest['properties']) ? rest['properties'] : {};
  const restGiven = isJsonObject(restProperties['given']) ? restProperties['given'] : {};
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A story for hooklet test',
    ...rest,
    properties: {
      ...restProperties,
      given: { ...restGiven, properties: { ...others, expect: { $ref: '#/definitions/expect' } } },
    },
    definitions: { expect },
  };
}

function bare(schema: unknown): JsonObject {
  const { description: _, ...rest } = isJsonObject(schema) ? schema : {};
  return rest;
}
