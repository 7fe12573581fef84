import { describe, expect, it } from 'vitest';
import { definedKinds } from '../src/custom-resources.ts';
import { Kinds } from '../src/kinds.ts';
import { widgetDefinition } from './support/sandbox.ts';

describe('the kinds that are served', () => {
  it('a definition adds its kinds until it serves nothing', () => {
    const kinds = new Kinds();

    kinds.serveCustom('widgets.example.com', definedKinds(widgetDefinition()));
    expect(kinds.find('example.com', 'v1', 'widgets')?.kind).toBe('Widget');
    expect(kinds.ofObject('example.com/v1', 'Widget')?.plural).toBe('widgets');

    kinds.serveCustom('widgets.example.com', []);
    expect(kinds.find('example.com', 'v1', 'widgets')).toBeUndefined();
  });

  it('a collection that several versions share belongs to the one it is kept in', () => {
    const kinds = new Kinds();

    expect(kinds.ofCollection('horizontalpodautoscalers.autoscaling')?.version).toBe('v2');
    expect(kinds.ofCollection('events')?.group).toBe('');
  });

  it('built-in groups are known as such', () => {
    const kinds = new Kinds();

    expect(kinds.isBuiltInGroup('apps')).toBe(true);
    expect(kinds.isBuiltInGroup('example.com')).toBe(false);
  });
});
