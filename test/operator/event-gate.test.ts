import { beforeEach, describe, expect, it } from 'vitest';
import { EventGate } from '../../src/operator/event-gate.ts';
import { kubernetesBinding } from '../support/bindings.ts';
import { eventOf } from '../support/unit-rig.ts';

const binding = kubernetesBinding('pods');

describe('an event gate', () => {
  let delivered: string[];
  let gate: EventGate;

  beforeEach(() => {
    delivered = [];
    gate = new EventGate((trigger) => void delivered.push(trigger.item.name));
  });

  const receive = (...names: readonly string[]) => {
    for (const name of names) gate.receive(eventOf(binding, name));
  };

  it('counts what comes before the state is read as part of that state', () => {
    receive('before');
    gate.hold();
    gate.open();

    expect(delivered).toEqual([]);
  });

  it('holds what comes after the state was read, and delivers it in order when it opens', () => {
    gate.hold();
    receive('one', 'two');
    expect(delivered).toEqual([]);

    gate.open();
    receive('three');

    expect(delivered).toEqual(['one', 'two', 'three']);
  });

  it('starts anew when the state is read again', () => {
    gate.hold();
    receive('in the second state');
    gate.hold();
    receive('after it');
    gate.open();

    expect(delivered).toEqual(['after it']);
  });

  it('lets everything through once it is open, whatever is read then', () => {
    gate.open();
    gate.hold();
    receive('one');
    gate.open();

    expect(gate.isOpen).toBe(true);
    expect(delivered).toEqual(['one']);
  });
});
