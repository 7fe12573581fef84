import { at, numberAt, objectAt, objectsAt, textAt, textsAt, withDefaultsAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { qualifiedNameProblems, subdomainProblems } from '../object-names.ts';
import { invalidValue, requiredValue, unsupportedValue, type Cause } from '../status-error.ts';
import { clientConfigCauses, reviewVersionCauses, withClientConfigDefaults } from './client-config.ts';
import { conditionProblem } from './match-conditions.ts';
import { selectorCauses } from './object-selector.ts';
import { ruleCauses } from './rule-validation.ts';

/** Returns a ValidatingWebhookConfiguration with the fields that the server fills in. */
export function withValidatingDefaults(configuration: JsonObject): JsonObject {
  return withWebhooks(configuration, {});
}

/** Returns a MutatingWebhookConfiguration with the fields that the server fills in. */
export function withMutatingDefaults(configuration: JsonObject): JsonObject {
  return withWebhooks(configuration, { reinvocationPolicy: 'Never' });
}

const DEFAULTS = { failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 10 };

function withWebhooks(configuration: JsonObject, more: JsonObject): JsonObject {
  if (at(configuration, 'webhooks') === undefined) return configuration;
  const webhooks = objectsAt(configuration, 'webhooks').map((hook) => ({
    ...withDefaultsAt(hook, [], { ...DEFAULTS, ...more }),
    clientConfig: withClientConfigDefaults(objectAt(hook, 'clientConfig')),
    namespaceSelector: objectAt(hook, 'namespaceSelector'),
    objectSelector: objectAt(hook, 'objectSelector'),
    ...(at(hook, 'rules') === undefined
      ? {}
      : { rules: objectsAt(hook, 'rules').map((rule) => withDefaultsAt(rule, [], { scope: '*' })) }),
  }));
  const { webhooks: _given, ...rest } = configuration;
  return webhooks.length === 0 ? rest : { ...rest, webhooks };
}

/** Validates a webhook configuration that has its defaults. */
export function webhookConfigurationCauses(configuration: JsonObject): readonly Cause[] {
  const webhooks = objectsAt(configuration, 'webhooks');
  const names = webhooks.map((hook) => textAt(hook, 'name'));
  return webhooks.flatMap((hook, index) => {
    const field = `webhooks[${index}]`;
    const isTwice = names.indexOf(names[index] ?? '') < index;
    return [...webhookCauses(hook, field), ...(isTwice ? [duplicate(`${field}.name`, names[index] ?? '')] : [])];
  });
}

function duplicate(field: string, name: string): Cause {
  return { field, reason: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(name)}` };
}

function webhookCauses(hook: JsonObject, field: string): readonly Cause[] {
  const versions = textsAt(hook, 'admissionReviewVersions');
  return [
    ...nameCauses(textAt(hook, 'name'), `${field}.name`),
    ...objectsAt(hook, 'rules').flatMap((rule, index) => ruleCauses(rule, `${field}.rules[${index}]`)),
    ...choiceCauses(hook, 'failurePolicy', ['Fail', 'Ignore'], field),
    ...choiceCauses(hook, 'matchPolicy', ['Equivalent', 'Exact'], field),
    ...sideEffectCauses(hook, field),
    ...timeoutCauses(hook, field),
    ...selectorCauses(objectAt(hook, 'namespaceSelector'), `${field}.namespaceSelector`),
    ...selectorCauses(objectAt(hook, 'objectSelector'), `${field}.objectSelector`),
    ...choiceCauses(hook, 'reinvocationPolicy', ['IfNeeded', 'Never'], field),
    ...clientConfigCauses(objectAt(hook, 'clientConfig'), `${field}.clientConfig`),
    ...(versions.length === 0
      ? [requiredValue(`${field}.admissionReviewVersions`, 'must specify one of v1, v1beta1')]
      : reviewVersionCauses(versions, `${field}.admissionReviewVersions`)),
    ...conditionCauses(objectsAt(hook, 'matchConditions'), `${field}.matchConditions`),
  ];
}

function nameCauses(name: string, field: string): readonly Cause[] {
  if (name === '') return [requiredValue(field)];
  const problems = subdomainProblems(name);
  if (problems.length > 0) return problems.map((problem) => invalidValue(field, name, problem));
  if (name.split('.').length >= 3) return [];
  return [invalidValue(field, name, 'should be a domain with at least three segments separated by dots')];
}

function choiceCauses(hook: JsonObject, name: string, choices: readonly string[], field: string): readonly Cause[] {
  const value = at(hook, name);
  if (value === undefined || (typeof value === 'string' && choices.includes(value))) return [];
  return [unsupportedValue(`${field}.${name}`, value, choices)];
}

function sideEffectCauses(hook: JsonObject, field: string): readonly Cause[] {
  if (at(hook, 'sideEffects') === undefined) {
    return [requiredValue(`${field}.sideEffects`, 'must specify one of None, NoneOnDryRun')];
  }
  return choiceCauses(hook, 'sideEffects', ['None', 'NoneOnDryRun'], field);
}

function timeoutCauses(hook: JsonObject, field: string): readonly Cause[] {
  const seconds = numberAt(hook, 'timeoutSeconds') ?? 10;
  if (seconds >= 1 && seconds <= 30) return [];
  const rule = 'the timeout value must be between 1 and 30 seconds';
  return [invalidValue(`${field}.timeoutSeconds`, seconds, rule)];
}

const MAX_CONDITIONS = 64;

function conditionCauses(conditions: readonly JsonObject[], field: string): readonly Cause[] {
  if (conditions.length > MAX_CONDITIONS) {
    const message = `Too many: ${conditions.length}: must have at most ${MAX_CONDITIONS} items`;
    return [{ field, reason: 'FieldValueTooMany', message }];
  }
  const names = conditions.map((condition) => textAt(condition, 'name'));
  return conditions.flatMap((condition, index) => {
    const place = `${field}[${index}]`;
    const name = names[index] ?? '';
    const isTwice = name !== '' && names.indexOf(name) < index;
    return [
      ...expressionCauses(textAt(condition, 'expression'), `${place}.expression`),
      ...conditionNameCauses(name, `${place}.name`),
      ...(isTwice ? [duplicate(`${place}.name`, name)] : []),
    ];
  });
}

function expressionCauses(expression: string, field: string): readonly Cause[] {
  if (expression.trim() === '') return [requiredValue(field)];
  const problem = conditionProblem(expression);
  return problem === undefined ? [] : [invalidValue(field, expression, problem)];
}

function conditionNameCauses(name: string, field: string): readonly Cause[] {
  if (name === '') return [requiredValue(field)];
  return qualifiedNameProblems(name).map((problem) => invalidValue(field, name, problem));
}
