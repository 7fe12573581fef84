import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventTrigger } from '../../src/hook/trigger.ts';
import { UnitBinding } from '../../src/units/unit-binding.ts';
import { kubernetesBinding } from '../support/bindings.ts';
import { eventOf } from '../support/unit-rig.ts';

const pods = kubernetesBinding('pods');

/** What a hook has been given: the objects that each read state showed, and the events after it. */
function bindingRig(binding = pods) {
  const given: string[] = [];
  const held: string[] = [];
  let happened = 0;
  const nameOf = ({ item }: EventTrigger): string => item.name;
  const unit = new UnitBinding(binding, {
    onSynced: () => void given.push('synced'),
    onProblem: (error) => void given.push(String(error)),
    onEvent: (trigger) => void given.push(nameOf(trigger)),
    onHeld: (trigger, reason) => void held.push(`${nameOf(trigger)}: ${reason}`),
  });
  return {
    unit,
    given,
    held,
    event: () => unit.event(eventOf(binding, String(++happened))),
    /** Reads the state, as a run of the Synchronization does; returns how many events it shows. */
    read: () => {
      unit.begin();
      return happened;
    },
    happened: () => happened,
  };
}

describe('the state of a binding', () => {
  it('is listed once, with its first list', () => {
    const { unit, given } = bindingRig();
    expect(unit.isSynced).toBe(false);

    unit.synced();
    unit.synced();

    expect(unit.isSynced).toBe(true);
    expect(given).toEqual(['synced']);
  });

  it('leaves to the Synchronization what comes before it is read, and holds what comes after', () => {
    const { unit, given, held, event, read } = bindingRig();
    event();
    unit.synced();
    event();
    expect(unit.enable()).toBe(true);
    event();
    read();
    event();

    expect(given).toEqual(['synced']);
    expect(held).toEqual([
      '1: it is part of the Synchronization to come',
      '2: it is part of the Synchronization to come',
      '3: it is part of the Synchronization to come',
      '4: it waits until the Synchronization has succeeded',
    ]);
    unit.finish();
    expect(given).toEqual(['synced', '4']);
  });

  it('holds nothing while a failed Synchronization waits to be run again, which reads it all', () => {
    const { unit, given, held, event, read } = bindingRig();
    unit.synced();
    unit.enable();
    read();
    event();
    unit.fail();
    event();
    read();
    event();
    unit.finish();

    expect(given).toEqual(['synced', '3']);
    expect(held[1]).toBe('2: it is part of the Synchronization to come');
  });

  it('owes no Synchronization where executeHookOnSynchronization is false', () => {
    const { unit, given, event } = bindingRig(kubernetesBinding('pods', { executeHookOnSynchronization: false }));
    unit.synced();

    expect(unit.enable()).toBe(false);
    event();

    expect(given).toEqual(['synced', '1']);
  });

  it('gives each event once, in order: by the state that was read last, or by itself', () => {
    const step = fc.constantFrom<'event' | 'attempt'>('event', 'attempt');
    fc.assert(
      fc.property(fc.array(step), fc.array(step), (before, after) => {
        const { unit, given, event, read, happened } = bindingRig();
        unit.synced();
        unit.enable();
        for (const one of before) {
          if (one === 'event') event();
          else read();
        }
        const shown = read();
        for (const one of after) if (one === 'event') event();
        unit.finish();
        for (const one of after) if (one === 'event') event();

        const expected = Array.from({ length: happened() - shown }, (_, index) => String(shown + index + 1));
        expect(given.slice(1)).toEqual(expected);
      }),
    );
  });
});
