import { describe, expect, it } from 'vitest';
import { ownedStatus } from '../../src/effects/owned-status.ts';
import { droppedFields, planStatus, type AddedField, type PlanOptions } from '../../src/effects/status-plan.ts';
import { condition } from '../support/status-rig.ts';

const START = '2026-01-05T03:00:00Z';
const options: PlanOptions = { generation: 3, isBuiltIn: false, lacks: new Set(), nowMs: Date.parse(START) };

/** An object whose status has these owners. */
function live(status: object, own: object | undefined, theirs?: object) {
  const entry = (manager: string, fields: object) => ({
    manager,
    operation: 'Apply',
    subresource: 'status',
    fieldsV1: { 'f:status': fields },
  });
  const managedFields = [
    ...(own === undefined ? [] : [entry('hooklet-status', own)]),
    ...(theirs === undefined ? [] : [entry('other', theirs)]),
  ];
  return { metadata: { generation: 3, managedFields }, status };
}

describe('the part of a status that hooklet owns', () => {
  it.each([
    {
      title: 'fields and their members',
      object: live({ a: 1, b: { c: 2, d: 3 } }, { 'f:b': { 'f:c': {} } }),
      fields: { b: { c: 2 } },
    },
    {
      title: 'a field as a whole',
      object: live({ b: { c: 2 } }, { 'f:b': { '.': {} } }),
      fields: { b: { c: 2 } },
    },
    {
      title: 'items of a list by their keys',
      object: live(
        { ports: [{ port: 1, name: 'a' }, { port: 2 }] },
        { 'f:ports': { 'k:{"port":1}': { '.': {}, 'f:port': {} } } },
      ),
      fields: { ports: [{ port: 1 }] },
    },
    {
      title: 'items of a set',
      object: live({ names: ['a', 'b'] }, { 'f:names': { 'v:"b"': {} } }),
      fields: { names: ['b'] },
    },
    { title: 'nothing without an entry', object: live({ a: 1 }, undefined, { 'f:a': {} }), fields: {} },
    { title: 'all where the status has one owner', object: live({ a: 1 }, undefined, {}), fields: { a: 1 } },
    {
      title: 'nothing where the entry cannot be read',
      object: live({ a: [{ b: 1 }] }, { 'f:a': { 'k:not json': {} }, 'f:gone': {} }),
      fields: { a: [] },
    },
    { title: 'nothing of an object without metadata', object: { status: 'odd' }, fields: {} },
  ])('is $title', ({ object, fields }) => {
    expect(ownedStatus(object).fields).toEqual(fields);
  });

  it('is found in a set of 10,000 within 2 s', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `name-${index}`);
    const fields = Object.fromEntries(names.map((name) => [`v:${JSON.stringify(name)}`, {}]));
    const startedAt = performance.now();

    expect(ownedStatus(live({ names }, { 'f:names': fields })).fields).toEqual({ names });

    expect(performance.now() - startedAt).toBeLessThan(2000);
  });
});

describe('the status that is sent', () => {
  it('has no generation of its own for a built-in kind', () => {
    const { status } = planStatus({}, { conditions: [condition('Ready', 'True')] }, { ...options, isBuiltIn: true });

    expect(status).toEqual({
      conditions: [{ ...condition('Ready', 'True'), observedGeneration: 3, lastTransitionTime: START }],
    });
  });

  it('has no generation for a kind without', () => {
    const { status } = planStatus({}, { conditions: [condition('Ready', 'True')] }, { ...options, generation: 0 });

    expect(status).toEqual({ conditions: [{ ...condition('Ready', 'True'), lastTransitionTime: START }] });
  });

  it('keeps the generation that the hook gives', () => {
    const { status } = planStatus({}, { conditions: [], status: { observedGeneration: 2 } }, options);

    expect(status).toEqual({ observedGeneration: 2 });
  });

  it('keeps the place of each condition of a list with one owner', () => {
    const list = [condition('Theirs', 'True'), condition('Ready', 'True')];

    const { status } = planStatus(
      live({ conditions: list }, undefined, { 'f:conditions': {} }),
      { conditions: [condition('Ready', 'False'), condition('New', 'True')] },
      options,
    );

    expect(status['conditions']).toMatchObject([{ type: 'Theirs' }, { type: 'Ready' }, { type: 'New' }]);
  });

  it('leaves a list with one owner out where the hook gives no condition', () => {
    const object = live({ conditions: [condition('Theirs', 'True')] }, undefined, { 'f:conditions': {} });

    expect(planStatus(object, { conditions: [], status: { a: 1 } }, options).status).not.toHaveProperty('conditions');
  });

  it.each<{ sent: object; came: object; dropped: readonly AddedField[] }>([
    { sent: { observedGeneration: 1 }, came: {}, dropped: ['observedGeneration'] },
    {
      sent: { conditions: [{ type: 'A', observedGeneration: 1, lastTransitionTime: START }] },
      came: { conditions: [{ type: 'A' }] },
      dropped: ['conditions.observedGeneration', 'conditions.lastTransitionTime'],
    },
    { sent: { conditions: [{ type: 'A', observedGeneration: 1 }] }, came: {}, dropped: [] },
  ])('of $sent lacks $dropped when $came came', ({ sent, came, dropped }) => {
    expect(droppedFields({ ...sent }, { ...came })).toEqual(dropped);
  });
});
