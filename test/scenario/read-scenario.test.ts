import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readScenarioFile, readScenarios } from '../../src/scenario/file/read-scenario.ts';
import { temporaryFolder } from '../support/hook-rig.ts';

let folder: ReturnType<typeof temporaryFolder>;

beforeAll(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder.path, 'hooks', '002'), { recursive: true });
  mkdirSync(join(folder.path, 'programs'));
  for (const file of ['hooks/a.sh', 'hooks/002/b.sh', 'programs/pg_dump']) {
    writeFileSync(join(folder.path, file), '#!/bin/sh\n');
    chmodSync(join(folder.path, file), 0o755);
  }
  writeFileSync(join(folder.path, 'b.yaml'), 'apiVersion: v1\nkind: Secret\nmetadata: {name: b}\n');
  writeFileSync(join(folder.path, 'broken.yaml'), '- 1\n---\n{kind: Secret}\n');
});

afterAll(() => folder[Symbol.dispose]());

async function read(text: string) {
  const options = { optionNames: ['retry-delay', 'log-level'], hooksDir: '/nowhere' };
  const { scenarios, problems } = await readScenarios(join(folder.path, 'one.scenario.yaml'), text, options);
  return { scenarios, problems: problems.map(({ line, path, message }) => `${line} ${path}: ${message}`) };
}

const SECRET = '{apiVersion: v1, kind: Secret, metadata: {name: a}}';

describe('a scenario file', () => {
  it('becomes stories: hooks beside it, actions in the order in which they are written, times and durations', async () => {
    const { scenarios, problems } = await read(`# copies
given:
  clock: 2026-03-29T00:30:00Z
  env: {DEPTH: 3}
  programs: programs
  options: {retry-delay: 1s}
  files: b.yaml
  objects: [${SECRET}]
  expect: {runs: 1}
steps:
  - name: a day later
    tick: 24h
    patch: {apiVersion: v1, kind: Secret, metadata: {name: a, labels: {b: null}}}
    trigger: 002/b.sh/nightly
    restart: 90s
    kill: {hook: a.sh, afterEffects: 2}
    fault: none
    expect: {writes: 0, log: hello}
never: .verb == "delete"
perturb: {kinds: [twice, crash], plans: 5}
`);

    expect(problems).toEqual([]);
    expect(scenarios).toEqual([
      {
        file: join(folder.path, 'one.scenario.yaml'),
        line: 2,
        document: 0,
        name: 'one',
        paths: [join(folder.path, 'hooks'), join(folder.path, 'programs'), join(folder.path, 'b.yaml')],
        given: {
          hooksDir: join(folder.path, 'hooks'),
          objects: [
            { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'b' } },
            { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
          ],
          startMs: Date.UTC(2026, 2, 29, 0, 30),
          env: { DEPTH: '3' },
          standInsDir: join(folder.path, 'programs'),
          options: { 'retry-delay': '1s' },
        },
        expect: { runs: 1 },
        steps: [
          {
            line: 11,
            name: 'a day later',
            actions: [
              { type: 'tick', ms: 86_400_000 },
              {
                type: 'patch',
                object: { apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'a' },
                patch: { metadata: { labels: { b: null } } },
              },
              { type: 'trigger', hook: '002/b.sh', binding: 'nightly' },
              { type: 'restart', downMs: 90_000 },
              { type: 'killHook', hook: 'a.sh', afterEffects: 2 },
              { type: 'clearFaults' },
            ],
            expect: { writes: 0, log: ['hello'] },
          },
        ],
        never: [{ name: '.verb == "delete"', program: '.verb == "delete"' }],
        perturb: { kinds: ['twice', 'crash'], plans: 5 },
      },
    ]);
  });

  it('has requests, whose body is sent as JSON where it is more than a text', async () => {
    const { scenarios } = await read(`name: asks
steps:
  - http: {path: /trigger/a.sh/x, headers: {X-A: 1}, body: {b: [1]}}
  - http: {path: /trigger/a.sh/x, headers: {Content-Type: application/cloudevents+json}, body: [1]}
  - http: {method: GET, path: /trigger/a.sh/x, body: text}
`);

    expect(scenarios[0]?.steps.flatMap(({ actions }) => actions)).toMatchObject([
      { method: 'POST', headers: { 'X-A': '1', 'content-type': 'application/json' }, body: '{"b":[1]}' },
      { method: 'POST', headers: { 'Content-Type': 'application/cloudevents+json' }, body: '[1]' },
      { method: 'GET', body: 'text' },
    ]);
  });

  it('has several stories, separated by ---, each with a name of its own', async () => {
    const { scenarios, problems } = await read('name: one\n---\n# nothing\n---\nname: two\n---\nname: one\n');

    expect(scenarios.map(({ name, line, document }) => [name, line, document])).toEqual([
      ['one', 1, 0],
      ['two', 5, 2],
      ['one', 7, 3],
    ]);
    expect(problems).toEqual(['7 name: got "one", the name of the story in line 1; each needs its own']);
    expect((await read('name: one\n---\nsteps: []\n')).problems).toEqual([
      '3 name: missing, expected what this story tells',
    ]);
  });

  it('tells all problems of all stories at once, each with its line and path', async () => {
    const { scenarios, problems } = await read(`name: first
given:
  clok: 2026-01-01T00:00:00Z
  options: {retry-dely: 1s}
  objects:
    - apiVersion: v1
      kind: Secert
      metadata: {name: a}
steps:
  - aply: ${SECRET}
  - tick: 24
---
name: second
steps:
  - trigger: c.sh/x
`);

    expect(scenarios).toEqual([]);
    expect(problems).toEqual([
      '3 given.clok: unknown field, did you mean clock?',
      '4 given.options.retry-dely: no option of hooklet start that a story can set; did you mean retry-delay?',
      '10 steps[0].aply: unknown field, did you mean apply?',
      '11 steps[1].tick: got 24, expected a duration of at most 87600h such as 90s, 5m or 24h',
      '7 given.objects[0].kind: nobody serves "Secert" of "v1"; did you mean Secret?',
      '15 steps[0].trigger: got "c.sh", which is no hook of this story; did you mean a.sh?',
    ]);
  });

  it.each([
    ['', /^1 : has no story/],
    ['# only a comment\n', /^1 : has no story/],
    ['name: [', /^1 : /],
    ['name: a\nname: b', /^2 : Map keys must be unique, "name" comes twice/],
    ['- 1', /^1 : got \[1\], expected a mapping/],
    ['steps: [{}]', /does nothing and expects nothing/],
    ['steps: [{tick: 7d}]', /7 days are 168h/],
    ['steps: [{tick: 0s}]', /expected a duration/],
    [
      'steps: [{tick: 1h}, {until: 2026-01-01T00:30:00Z}]',
      /steps\[1\]\.until: got 2026-01-01T00:30.*but it is 2026-01-01T01:00/,
    ],
    ['given: {clock: 2026-02-30T00:00:00Z}', /expected a time such as/],
    [
      'given: {objects: [{kind: Secret, metadata: {name: a}}]}',
      /given\.objects\[0\]\.apiVersion: missing, expected the apiVersion of the object/,
    ],
    ['given: {files: none.yaml}', /none\.yaml cannot be read: ENOENT/],
    ['given: {files: broken.yaml}', /broken\.yaml:1: got \[1\], expected a Kubernetes object/],
    ['given: {programs: none}', /given\.programs: got no folder at .*none/],
    ['hooks: none', /hooks: got ".*none", expected a folder, or files of hooks/],
    ['hooks: [b.yaml]', /hooks: got "b\.yaml", which is no hook: is it executable\?/],
    ['steps: [{kill: operatr}]', /did you mean operator\?/],
    ['steps: [{fault: {type: statu, code: 500}}]', /fault\.type: got "statu".*did you mean status\?/],
    ['steps: [{fault: {type: status}}]', /fault\.code: missing/],
    ['steps: [{fault: {type: silence, pattern: "("}}]', /fault\.pattern: got "\(", which is no regular expression/],
    [
      `steps: [{delete: {apiVersion: v1, kind: Secret, metadata: {name: a, labels: {}}}}]`,
      /got metadata\.labels, expected only/,
    ],
    ['steps: [{http: {path: //elsewhere/x}}]', /http\.path: got .*, expected a path such as .*without a host/],
    [String.raw`steps: [{http: {path: "/\\elsewhere/x"}}]`, /http\.path: got .*without a host/],
    [String.raw`steps: [{http: {path: "/\t/elsewhere/x"}}]`, /http\.path: got .*without a host/],
    ['steps: [{http: {path: "http://elsewhere/x"}}]', /http\.path: got .*without a host/],
    [
      'steps: [{convert: {object: {apiVersion: v1, kind: Secret}, to: v2}}]',
      /convert\.object\.metadata\.name: missing, expected the name of the object/,
    ],
    ['steps: [{restart: false}]', /restart: got false, expected true, or leave the field out/],
    [
      'given: {volumes: {keys: {a: b}}, env: {A: $(VOLUMES)/key/a}}',
      /env\.A: got "\$\(VOLUMES\)\/key", which is no volume of this story; did you mean keys\?/,
    ],
    ['given: {env: {A: $(VOLUMES)/a}}', /env\.A: got .*given\.volumes has none/],
    ['given: {volumes: {a: {../b: c}}}', /expected the name of a file, without a folder/],
    ['given: {volumes: {..: {b: c}}}', /expected the name of a folder of its own/],
    ['never: ".a ["', /never: no jq program: jq: syntax error.*line 1, column 5/],
    ['perturb: [twise]', /perturb\[0\]: got "twise", expected one of twice, crash/],
  ])('%j is refused', async (text, message) => {
    const { scenarios, problems } = await read(text);

    expect(scenarios).toEqual([]);
    expect(problems[0]).toMatch(message);
  });

  it.each([
    ['{objects: [{apiVersion: v1, kind: Secret, absent: true, data: {}}]}', /can never hold: absent, and with data/],
    ['{objects: [{apiVersion: v1, kind: Secret, absent: true, count: 1}]}', /can never hold: absent, and with count/],
    ['{objects: [{apiVersion: v1, kind: Secret, count: -1}]}', /count: got -1, expected a whole number from 0/],
    [
      '{objects: [{apiVersion: apps/v1, kind: Secret}]}',
      /nobody serves "Secret" of "apps\/v1"; did you mean v1 Secret/,
    ],
    ['{runs: -1}', /runs: got -1/],
    ['{runs: [{hook: b.sh}]}', /runs\[0\]\.hook: got "b\.sh", which is no hook of this story/],
    ['{runs: [{hook: a.sh, outcome: ok}]}', /outcome: got "ok", expected one of succeeded/],
    ['{runs: [{hook: a.sh, outcome: succeeded, message: no}]}', /can never hold: a run that succeeded has no error/],
    ['{writes: [{verb: create, before: {}}]}', /can never hold/],
    ['{calls: [{program: etcdctl}]}', /calls can never be seen: no folder of stand-ins is given/],
    ['{answer: {code: 200}}', /can never hold: nothing in this step is answered/],
    ['{answer: {code: 403, allowed: true}}', /can never hold: allowed is true, and the code 403/],
    ['{metrics: [{name: a, absent: true, value: 1}]}', /can never hold: absent, and with a value/],
    ['{}', /expects nothing/],
  ])('the expectation %s is refused', async (expectation, message) => {
    const { problems } = await read(`steps: [{settle: true, expect: ${expectation}}]`);

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  });

  it('is refused when it is too large, or is none', async () => {
    const options = { optionNames: [], hooksDir: '/nowhere' };
    writeFileSync(join(folder.path, 'large.yaml'), `# ${'x'.repeat(1024 * 1024)}`);
    const large = await readScenarioFile(join(folder.path, 'large.yaml'), options);
    const gone = await readScenarioFile(join(folder.path, 'gone.yaml'), options);

    expect(large.problems[0]?.message).toMatch(/^got 1048578 bytes, expected at most 1048576/);
    expect(gone.problems[0]?.message).toMatch(/^cannot be read: ENOENT/);
  });
});
