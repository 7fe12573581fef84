import { at, textAt, withAt, withDefaultsAt, without } from './json-fields.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { withStartStatus } from './workload-defaults.ts';

/** Returns a claim with the fields that the server fills in. */
export function claimDefaults(claim: JsonObject, before: JsonObject | undefined): JsonObject {
  const filled = withDefaultsAt(claim, ['spec'], { volumeMode: 'Filesystem' });
  return withStartStatus(withBothSources(filled), before, { phase: 'Pending' });
}

/** What a claim starts with has an older and a newer field: each is filled in from the other. */
function withBothSources(claim: JsonObject): JsonObject {
  const [source, reference] = [at(claim, 'spec', 'dataSource'), at(claim, 'spec', 'dataSourceRef')];
  if (isJsonObject(source) && !isJsonObject(reference)) return withAt(claim, ['spec', 'dataSourceRef'], source);
  // The older field knows no other namespace.
  const isNear = isJsonObject(reference) && textAt(reference, 'namespace') === '';
  if (!isNear || isJsonObject(source)) return claim;
  return withAt(claim, ['spec', 'dataSource'], without(reference, 'namespace'));
}
