import { present, type Place, report } from '../../hook/config-reader.ts';
import { nearest } from '../../hook/nearest.ts';
import { shown } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';
import type { Action } from '../world.ts';
import type { StoryContext } from './context.ts';
import { derived, either, type Field, mapping, text } from './field.ts';
import { objectName } from './objects.ts';

/** The name of a hook of the story. */
export function hookName(context: StoryContext): Field<string> {
  return derived(text, (name, place) => (isHook(context, name) ? name : unknownHook(context, name, place)));
}

/** `hook/binding`, `hook`, or a mapping of hook, binding and object. */
export function triggered(context: StoryContext): Field<readonly Action[]> {
  const whole = mapping(
    { hook: hookName(context), binding: text, object: objectName(context) },
    { hook: 'the name of a hook' },
  );
  return either(
    isObject,
    derived(whole, ({ hook = '', binding, object }): readonly Action[] => [
      { type: 'trigger', hook, ...present({ binding, object }) },
    ]),
    derived(text, (words, place) => fromText(context, words, place)),
  );
}

/** A hook's name may have slashes of its own, so the longest name that fits counts. */
function fromText(context: StoryContext, words: string, place: Place): readonly Action[] | undefined {
  const names = context.hookNames ?? [words.split('/', 1)[0] ?? words];
  const fitting = names.filter((name) => words === name || words.startsWith(`${name}/`));
  const [hook] = fitting.toSorted((a, b) => b.length - a.length);
  if (hook === undefined) return unknownHook(context, words.split('/', 1)[0] ?? words, place);
  const binding = words.slice(hook.length + 1);
  return [{ type: 'trigger', hook, ...(binding !== '' && { binding }) }];
}

function isHook({ hookNames }: StoryContext, name: string): boolean {
  return hookNames === undefined || hookNames.includes(name);
}

const MAX_NAMED = 10;

function unknownHook({ hookNames = [] }: StoryContext, name: string, place: Place): undefined {
  const meant = nearest(name, hookNames);
  const named = hookNames.slice(0, MAX_NAMED).join(', ');
  const all = hookNames.length > MAX_NAMED ? `${named}, …` : named;
  const hint = meant === undefined ? `the hooks are ${all || '(none)'}` : `did you mean ${meant}?`;
  return report(place, `got ${shown(name)}, which is no hook of this story; ${hint}`);
}
