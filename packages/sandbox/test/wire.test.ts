import { describe, expect, it } from 'vitest';
import { definedKinds } from '../src/custom-resources.ts';
import type { ServedKind } from '../src/kind.ts';
import { Kinds } from '../src/kinds.ts';
import { Storage } from '../src/storage.ts';
import { itemText, objectText, served, toStored, typeFields } from '../src/wire.ts';
import { widgetDefinition } from './support/sandbox.ts';

function kindOf(group: string, version: string, plural: string): ServedKind {
  const kind = new Kinds().find(group, version, plural);
  if (kind === undefined) throw new Error(`no ${plural}`);
  return kind;
}

const custom = definedKinds(widgetDefinition())[0];

describe('the text of an object', () => {
  it('of a built-in kind begins with its kind, and in a list with its metadata', () => {
    const kind = kindOf('', 'v1', 'configmaps');
    const stored = new Storage().put('configmaps', toStored(kind, { metadata: { name: 'a' } }));

    expect(objectText(kind, stored)).toBe(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"2"}}',
    );
    expect(itemText(kind, stored)).toBe('{"metadata":{"name":"a","resourceVersion":"2"}}');
  });

  it('of a custom kind begins with its apiVersion, in a list too', () => {
    const text = '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","resourceVersion":"2"}}';
    if (custom === undefined) throw new Error('no kind');
    const stored = new Storage().put('widgets.example.com', toStored(custom, { metadata: { name: 'w' } }));

    expect(objectText(custom, stored)).toBe(text);
    expect(itemText(custom, stored)).toBe(text);
    expect(typeFields(custom, 'WidgetList')).toBe('"apiVersion":"example.com/v1","kind":"WidgetList"');
  });

  it('of a version with other fields is made from the kept one', () => {
    const kind = kindOf('events.k8s.io', 'v1', 'events');
    const kept = toStored(kind, { metadata: { name: 'e' }, note: 'n' });
    const stored = new Storage().put('events', kept);

    expect(kept).toMatchObject({ apiVersion: 'v1', message: 'n' });
    expect(served(kind, kept)).toMatchObject({ apiVersion: 'events.k8s.io/v1', note: 'n' });
    expect(objectText(kind, stored)).toContain('"note":"n"');
    expect(itemText(kind, stored)).not.toContain('apiVersion');
  });
});
