import { at, objectAt, objectsAt, present, textAt, textsAt, withAt } from './json-fields.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { nameOf } from './object-meta.ts';
import { forbiddenValue, invalidValue, requiredValue, unsupportedValue, type Cause } from './status-error.ts';
import { clientConfigCauses, reviewVersionCauses, withClientConfigDefaults } from './webhooks/client-config.ts';

/** Returns a CustomResourceDefinition with the fields that the server fills in. */
export function withCustomResourceDefinitionDefaults(definition: JsonObject): JsonObject {
  const names = objectAt(definition, 'spec', 'names');
  const kind = textAt(names, 'kind');
  const filled = withAt(definition, ['spec', 'names'], {
    ...names,
    singular: textAt(names, 'singular') === '' ? kind.toLowerCase() : textAt(names, 'singular'),
    listKind: textAt(names, 'listKind') === '' && kind !== '' ? `${kind}List` : textAt(names, 'listKind'),
  });
  const converted = withAt(filled, ['spec', 'conversion'], conversionOf(filled));
  const storage = objectsAt(definition, 'spec', 'versions').find((version) => at(version, 'storage') === true);
  const status = objectAt(definition, 'status');
  const stored = new Set([
    ...textsAt(status, 'storedVersions'),
    ...(storage === undefined ? [] : [textAt(storage, 'name')]),
  ]);
  return {
    ...converted,
    status: {
      conditions: at(status, 'conditions') ?? null,
      acceptedNames: at(status, 'acceptedNames') ?? { plural: '', kind: '' },
      storedVersions: [...stored],
    },
  };
}

function conversionOf(definition: JsonObject): JsonObject {
  const conversion = at(definition, 'spec', 'conversion');
  if (conversion === undefined) return { strategy: 'None' };
  const path = ['webhook', 'clientConfig'];
  const clientConfig = at(conversion, ...path);
  return isJsonObject(clientConfig)
    ? withAt(objectAt(conversion), path, withClientConfigDefaults(clientConfig))
    : objectAt(conversion);
}

/** Validates a CustomResourceDefinition; returns the causes of its refusal. */
export function customResourceDefinitionCauses(
  definition: JsonObject,
  before: JsonObject | undefined,
): readonly Cause[] {
  return [
    ...nameCauses(definition),
    ...scopeCauses(definition, before),
    ...versionCauses(definition),
    ...conversionCauses(definition),
  ];
}

function nameCauses(definition: JsonObject): readonly Cause[] {
  const causes = [
    ['spec.group', textAt(definition, 'spec', 'group')],
    ['spec.names.plural', textAt(definition, 'spec', 'names', 'plural')],
    ['spec.names.singular', textAt(definition, 'spec', 'names', 'singular')],
    ['spec.names.kind', textAt(definition, 'spec', 'names', 'kind')],
    ['spec.names.listKind', textAt(definition, 'spec', 'names', 'listKind')],
  ].flatMap(([field = '', value]) => (value === '' ? [requiredValue(field)] : []));
  const expected = `${textAt(definition, 'spec', 'names', 'plural')}.${textAt(definition, 'spec', 'group')}`;
  if (nameOf(definition) === expected) return causes;
  return [invalidValue('metadata.name', nameOf(definition), 'must be spec.names.plural+"."+spec.group'), ...causes];
}

function scopeCauses(definition: JsonObject, before: JsonObject | undefined): readonly Cause[] {
  const scope = textAt(definition, 'spec', 'scope');
  if (scope === '') return [requiredValue('spec.scope')];
  if (!['Cluster', 'Namespaced'].includes(scope))
    return [unsupportedValue('spec.scope', scope, ['Cluster', 'Namespaced'])];
  if (before === undefined || textAt(before, 'spec', 'scope') === scope) return [];
  return [invalidValue('spec.scope', scope, 'field is immutable')];
}

function versionCauses(definition: JsonObject): readonly Cause[] {
  const versions = objectsAt(definition, 'spec', 'versions');
  const causes = versions.flatMap((version, index) => {
    const field = `spec.versions[${index}].schema.openAPIV3Schema`;
    const schema = at(version, 'schema', 'openAPIV3Schema');
    if (schema === undefined) return [requiredValue(field)];
    return schemaCauses(objectAt(schema), versions.length === 1 ? 'spec.validation.openAPIV3Schema' : field);
  });
  if (versions.filter((version) => at(version, 'storage') === true).length === 1) return causes;
  const summary = versions.map((version) =>
    present({ name: version['name'], served: version['served'], storage: version['storage'] }),
  );
  return [
    ...causes,
    invalidValue('spec.versions', summary, 'must have exactly one version marked as storage version'),
    ...(textsAt(definition, 'status', 'storedVersions').length > 0
      ? []
      : [invalidValue('status.storedVersions', null, 'must have at least one stored version')]),
  ];
}

/** Checks that a schema is structural: every value in it has a type, unless an extension says what it may be. */
function schemaCauses(schema: JsonObject, field: string): readonly Cause[] {
  const free = at(schema, 'x-kubernetes-int-or-string') === true || at(schema, PRESERVE) === true;
  const untyped = textAt(schema, 'type') === '' && !free;
  const properties = Object.entries(objectAt(schema, 'properties')).flatMap(([name, property]) =>
    schemaCauses(objectAt(property), `${field}.properties[${name}]`),
  );
  const inner = ['items', 'additionalProperties'].flatMap((name) => {
    const value = at(schema, name);
    return isJsonObject(value) ? schemaCauses(value, `${field}.${name}`) : [];
  });
  const rule = 'must not be empty for specified object fields';
  return [...(untyped ? [requiredValue(`${field}.type`, rule)] : []), ...properties, ...inner];
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

function conversionCauses(definition: JsonObject): readonly Cause[] {
  const strategy = textAt(definition, 'spec', 'conversion', 'strategy');
  const webhook = objectAt(definition, 'spec', 'conversion', 'webhook');
  switch (strategy) {
    case 'Webhook':
      return webhookCauses(webhook);
    case 'None':
      return Object.keys(webhook)
        .toSorted()
        .map((name) => {
          const field = name === 'clientConfig' ? 'webhookClientConfig' : name;
          return forbiddenValue(`spec.conversion.${field}`, 'should not be set when strategy is not set to Webhook');
        });
    default:
      return [unsupportedValue('spec.conversion.strategy', strategy, ['None', 'Webhook'])];
  }
}

function webhookCauses(webhook: JsonObject): readonly Cause[] {
  const field = 'spec.conversion.webhookClientConfig';
  const versions = textsAt(webhook, 'conversionReviewVersions');
  return [
    ...(at(webhook, 'clientConfig') === undefined
      ? [requiredValue(field, 'required when strategy is set to Webhook')]
      : clientConfigCauses(objectAt(webhook, 'clientConfig'), field)),
    ...(versions.length === 0
      ? [requiredValue('spec.conversion.conversionReviewVersions')]
      : reviewVersionCauses(versions, 'spec.conversion.conversionReviewVersions')),
  ];
}
