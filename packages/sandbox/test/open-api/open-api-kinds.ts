import { builtInKinds } from '../../src/built-in-kinds.ts';
import { definedKinds } from '../../src/custom-resources.ts';
import { widgetDefinition } from '../support/sandbox.ts';

/** The built-in kinds, and one custom resource. */
export const KINDS = [...builtInKinds(), ...definedKinds(widgetDefinition())];
