// What tests elsewhere in the repository use beyond the public API: sandboxes that end with the test, fields of objects,
// and the parts that are compared with a real API server. It is not published.
export * from './sandbox.ts';
export { ACCEPTED_SPECS, REFUSED_SPECS, WIDE_SPEC } from './wide-schema.ts';
export { objectAt, objectsAt, textAt, textsAt } from '../../src/json-fields.ts';
export { apiVersionOf } from '../../src/kind.ts';
export { openApi2Document } from '../../src/open-api/version-2.ts';
export { applyPatch, PatchRefused, trackUpdate, type PatchKind } from '../../src/patch/apply-patch.ts';
export { builtInTopology, isBuiltInGroup, type BuiltInKind } from '../../src/patch/built-in-topology.ts';
export { memberOf, type Topology } from '../../src/patch/topology.ts';
export { inJson, PROTOBUF } from '../../src/protobuf/envelope.ts';
export { resourcePath } from '../../src/route.ts';
export { topLevelFieldsOf } from '../../src/schema/built-in-fields.ts';
export { compileCustomResourceSchema } from '../../src/schema/custom-resource-schema.ts';
export { printerOf } from '../../src/table/printers.ts';
