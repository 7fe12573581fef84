import { PAUSE_ANNOTATION } from '../../hook/pause-control.ts';
import { asJsonObject } from '../../kube/object.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** Whether an object has the annotation that pauses it, with any value but `false`. */
export function isPauseAnnotated(object: JsonObject): boolean {
  const value = asJsonObject(asJsonObject(object['metadata'])['annotations'])[PAUSE_ANNOTATION];
  return value !== undefined && value !== 'false';
}
