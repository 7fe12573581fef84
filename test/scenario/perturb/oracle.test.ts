import { describe, expect, test } from 'vitest';
import { learnMask, plainMask } from '../../../src/scenario/perturb/mask.ts';
import { differences } from '../../../src/scenario/perturb/oracle.ts';
import type { Moment } from '../../../src/scenario/timeline.ts';
import { configMap, ended, started, story, write } from './timelines.ts';

const mask = plainMask('');
const texts = (found: readonly { readonly text: string }[]): string[] => found.map(({ text }) => text);

describe('what is no difference', () => {
  test('uids, versions, times, generated names, and that an update was written again', () => {
    const run = (suffix: string, time: string, changes: number) => {
      const metadata = {
        uid: `0000000${suffix}-0000-4000-8000-000000000000`,
        resourceVersion: suffix,
        generation: changes,
      };
      return story(
        [write('a'), ...Array.from({ length: changes }, () => write('a', { verb: 'patch', before: configMap('a') }))],
        [
          configMap('a', { at: time, of: metadata.uid }, metadata),
          configMap(`job-${suffix}x`, {}, { generateName: 'job-' }),
          configMap(`backup-20260501-0${suffix}0000`),
          { kind: 'Event', metadata: { name: suffix } },
        ],
      );
    };
    const one = run('1', '2026-05-01T03:00:00Z', 1);
    expect(differences('crash', one, run('2', '2026-05-01T04:00:00Z', 2), mask)).toEqual([]);
  });

  test('a time in the data of a Secret, but a word and bytes there are one', () => {
    const run = (time: string, word: string, byte: number) => {
      const data = { time: Buffer.from(time).toString('base64'), word: Buffer.from(word).toString('base64') };
      const bytes = Buffer.from([0xff, byte]).toString('base64');
      return story([], [{ kind: 'Secret', metadata: { name: 's', namespace: 'default' }, data: { ...data, bytes } }]);
    };
    const one = run('2026-05-01T03:00:00Z', 'a', 1);
    expect(differences('crash', one, run('2026-05-01T03:00:01.3Z', 'a', 1), mask)).toEqual([]);
    expect(texts(differences('crash', one, run('2026-05-01T03:00:00Z', 'b', 1), mask))).toEqual([
      'Secret default/s: /data/word is "b" instead of "a"',
    ]);
    expect(texts(differences('crash', one, run('2026-05-01T03:00:00Z', 'a', 2), mask))).toEqual([
      'Secret default/s: /data/bytes is "/wI=" instead of "/wE="',
    ]);
  });

  test('what differed between two undisturbed runs: values, and the ends of names', () => {
    const run = (random: string) => story([], [configMap('a', { random, steady: 'x' }), configMap(`pod-${random}`)]);
    const learned = learnMask('', run('7ab2').objects, run('c04f').objects);
    expect(differences('crash', run('7ab2'), run('99d1'), learned)).toEqual([]);
    const other = story([], [configMap('a', { random: '1', steady: 'y' }), configMap('pod-1')]);
    expect(texts(differences('crash', run('7ab2'), other, learned))).toEqual([
      'ConfigMap default/a: /data/steady is "y" instead of "x"',
    ]);
  });

  test('a run that was cut off', () => {
    const cut = story([started(), ended('interrupted'), started('r2'), ended('succeeded', 'r2'), ended('interrupted')]);
    expect(differences('crash', story([started(), ended('succeeded')]), cut, mask)).toEqual([]);
  });

  test('a last run that failed of an object that is gone: nothing is left to be tried again', () => {
    const object = configMap('a', {}, { uid: 'one' });
    const failing = [started('r1', [{ type: 'Reconcile', object }]), ended('failed')];
    const well = story([started(), ended('succeeded')]);
    expect(differences('refuse', well, story(failing), mask)).toEqual([]);
    const withoutHook = { ...ended('failed'), next: 'retry' };
    const recovery: Moment = { atMs: 0, step: 2, type: 'action', text: 'tick 600000 ms' };
    expect(differences('refuse', well, story([withoutHook, recovery]), mask)).toEqual([]);
    expect(differences('refuse', well, story([recovery, withoutHook]), mask)).toHaveLength(1);
    const there = { ...well, objects: [object] };
    expect(texts(differences('refuse', there, story(failing, [object]), mask))).toEqual([
      'hook.sh still fails at the end: exit code 1',
    ]);
  });
});

describe('what is a difference', () => {
  test('an object at the end that is missing, left over, or another; a time that the scenario itself names', () => {
    const before = story([], [configMap('a'), configMap('b', { at: '2026-05-01T00:00:00Z' })]);
    const after = story([], [configMap('b', { at: '2026-06-01T00:00:00Z' }), configMap('c')]);
    const given = plainMask('2026-05-01T00:00:00Z 2026-06-01T00:00:00Z');
    expect(texts(differences('skip', before, after, given))).toEqual([
      'ConfigMap default/a is missing',
      'ConfigMap default/b: /data/at is "2026-06-01T00:00:00Z" instead of "2026-05-01T00:00:00Z"',
      'ConfigMap default/c is left over',
    ]);
  });

  test('a second creation or deletion by a hook; those of the scenario do not count, nor creations after a stale state', () => {
    const once = story([write('a')]);
    const twice = story([write('a'), write('a', { verb: 'delete', before: configMap('a') }), write('a')]);
    expect(texts(differences('crash', once, twice, mask))).toEqual([
      'ConfigMap default/a was created 2 times instead of once',
      'ConfigMap default/a was deleted once instead of 0 times',
    ]);
    expect(texts(differences('stale', once, twice, mask))).toEqual([
      'ConfigMap default/a was deleted once instead of 0 times',
    ]);
    expect(differences('crash', once, story([write('a'), write('a', { by: 'scenario' })]), mask)).toEqual([]);
  });

  test('what hooklet keeps for itself is not compared', () => {
    const at = (last: string) => story([], [configMap('hooklet-schedules', { last })]);
    expect(differences('crash', at('a'), at('b'), mask)).toEqual([]);
    expect(differences('crash', at('a'), story([]), mask)).toEqual([]);
  });

  test('the port of this machine at which webhooks are registered is not compared', () => {
    const at = (url: string) => story([], [configMap('a', { url })]);
    const one = at('https://127.0.0.1:45039/hooks/a');
    expect(differences('crash', one, at('https://127.0.0.1:38245/hooks/a'), mask)).toEqual([]);
    expect(differences('crash', one, at('https://127.0.0.1:38245/hooks/b'), mask)).toHaveLength(1);
  });

  test('a deleted object with another uid than the run had seen', () => {
    const seen = configMap('a', {}, { uid: 'old' });
    const gone = write('a', { verb: 'delete', before: configMap('a', {}, { uid: 'new' }) });
    const one = story([started('r1', [{ object: seen }]), gone]);
    expect(texts(differences('stale', one, one, mask))).toEqual([
      'ConfigMap default/a was deleted, but hook.sh had seen an older object of that name: name its uid in preconditions',
    ]);
  });

  test('a hook that still fails at the end, and a world that does not come to rest', () => {
    const failing = story([started(), ended('failed')]);
    expect(texts(differences('refuse', story([started(), ended('succeeded')]), failing, mask))).toEqual([
      'hook.sh still fails at the end: exit code 1',
    ]);
    expect(differences('refuse', failing, failing, mask)).toEqual([]);
    const cutOff = story([started(), ended('failed'), started('r2')]);
    expect(differences('crash', story([started(), ended('succeeded')]), cutOff, mask)).toEqual([]);
    const stuck = { ...failing, stuck: 'the world is not at rest: hook.sh runs' };
    expect(texts(differences('refuse', failing, stuck, mask))).toEqual(['the world is not at rest: hook.sh runs']);
  });
});
