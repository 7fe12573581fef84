import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/hook/config.ts';

function messageOf(text: string): string {
  const config = parseConfig(text, ({ expression }) => (expression === '.[' ? 'unexpected end' : undefined));
  return config.type === 'invalid' ? config.issues.map(({ message }) => message).join('\n') : 'valid';
}

function kubernetes(fields: string): string {
  return `configVersion: v1\nkubernetes:\n- ${fields.includes('kind') ? '' : 'kind: Pod\n  '}${fields}\n`;
}

function schedule(crontab: string): string {
  return `configVersion: v1\nschedule:\n- crontab: "${crontab}"\n`;
}

describe('an error of a config has the words of shell-operator', () => {
  it.each([
    ['', 'should have at least 1 properties'],
    ['configVersion: v1', 'should have at least 2 properties'],
    ['configVersion:\nonStartup: 1', "config version: missing 'configVersion' value"],
    ['configVersion: 1\nonStartup: 1', "config version: string value is expected for key 'configVersion'"],
    ['configVersion: v2\nonStartup: 1', "config version: 'configVersion' value 'v2' is unsupported"],
    ['a: b: c', 'config unmarshal'],
    ['text', 'config unmarshal'],
    ['configVersion: v1\nfoo: 1', '.foo is a forbidden property'],
    ['configVersion: v1\nonStartup: x', 'onStartup must be of type integer: "string"'],
    ['configVersion: v1\nonStartup: 1.5', 'onStartup must be of type integer: "number"'],
    ['configVersion: v1\nschedule: {}', 'schedule must be of type array: "object"'],
    ['configVersion: v1\nschedule: []', 'schedule should have at least 1 items'],
    ['configVersion: v1\nschedule:\n- {}', 'schedule.crontab is required'],
    ['configVersion: v1\nschedule:\n- crontab: 5', 'schedule.crontab must be of type string: "number"'],
    [schedule('* *'), 'crontab is invalid: Expected 5 or 6 fields, found 2: * *'],
    [schedule('1 2 3 22 22'), 'crontab is invalid: End of range (22) above maximum (12): 22'],
    [schedule('* * 0 * *'), 'crontab is invalid: Beginning of range (0) below minimum (1): 0'],
    [schedule('5-1 * * * *'), 'crontab is invalid: Beginning of range (5) beyond end of range (1): 5-1'],
    [schedule('1-2-3 * * * *'), 'crontab is invalid: Too many hyphens: 1-2-3'],
    [schedule('1/2/3 * * * *'), 'crontab is invalid: Too many slashes: 1/2/3'],
    [schedule('a * * * *'), 'crontab is invalid: Failed to parse int from a'],
    [schedule('@reboot'), 'crontab is invalid: Unrecognized descriptor: @reboot'],
    [schedule('TZ=Foo/Bar * * * * *'), 'crontab is invalid: Provided bad location Foo/Bar'],
    [
      `${schedule('* * * * *')}  includeSnapshotsFrom: [x]`,
      "includeSnapshotsFrom is invalid: 'x' binding name not found",
    ],
    ['configVersion: v1\nkubernetes:\n- name: x', 'kubernetes.kind is required'],
    [kubernetes('kind: 5'), 'kubernetes.kind must be of type string: "number"'],
    [kubernetes('mode: x'), 'kubernetes.mode is a forbidden property'],
    [kubernetes('allowFailure: "x"'), 'kubernetes.allowFailure must be of type boolean: "string"'],
    [
      kubernetes('executeHookOnEvent: [Foo]'),
      'kubernetes.executeHookOnEvent should be one of [Added Modified Deleted]',
    ],
    [kubernetes('apiVersion: a/b/c'), 'apiVersion is invalid'],
    [kubernetes('includeSnapshotsFrom: [x]'), "includeSnapshots 'x' binding name not found"],
    [kubernetes('includeSnapshotsFrom: []'), 'kubernetes.includeSnapshotsFrom should have at least 1 items'],
    [kubernetes('jqFilter: ".["'), 'compile jqFilter: unexpected end'],
    [kubernetes('nameSelector: {}'), 'kubernetes.nameSelector.matchNames is required'],
    [kubernetes('labelSelector: {}'), 'kubernetes.labelSelector should have at least 1 properties'],
    [
      kubernetes('labelSelector: {matchExpressions: [{key: a}]}'),
      'kubernetes.labelSelector.matchExpressions.operator is required',
    ],
    [
      kubernetes('labelSelector: {matchExpressions: [{key: a, operator: Foo}]}'),
      'kubernetes.labelSelector.matchExpressions.operator should be one of [In NotIn Exists DoesNotExist]',
    ],
    [kubernetes('labelSelector: {matchExpressions: [{key: a, operator: In}]}'), 'labelSelector is invalid: values'],
    [kubernetes('labelSelector: {matchLabels: {"a b": c}}'), 'labelSelector is invalid: key: Invalid value: "a b"'],
    [
      kubernetes('fieldSelector: {matchExpressions: [{field: a, operator: In, value: b}]}'),
      'kubernetes.fieldSelector.matchExpressions.operator should be one of [= == Equals != NotEquals]',
    ],
    [
      kubernetes(
        'nameSelector: {matchNames: [a]}\n  fieldSelector: {matchExpressions: [{field: metadata.name, operator: "=", value: a}]}',
      ),
      "fieldSelector 'metadata.name' and nameSelector.matchNames are mutually exclusive",
    ],
    ['onKubernetesEvent:\n- {kind: pod, event: [foo]}', "event 'foo' is unsupported"],
    ['foo: 1', '.foo is a forbidden property'],
    ['{}', 'should have at least 1 properties'],
  ])('%j: %s', (text, phrase) => {
    expect(messageOf(text)).toContain(phrase);
  });

  it('names several bindings of one name', () => {
    const text = `${kubernetes('name: a')}- {kind: Pod, name: a}\nschedule:\n- {crontab: "* * * * *", includeSnapshotsFrom: [a]}`;

    expect(messageOf(text)).toContain("includeSnapshotsFrom is invalid: there are 2 'a' binding names");
  });
});

describe('a config is taken as shell-operator takes it', () => {
  it.each([
    ['* * * * *', '*/90 * * * *', '0 * * * *'],
    ['the first of its range', '10-20/90 * * * *', '10 * * * *'],
    ['a plus', '+5 * * * *', '5 * * * *'],
  ])('a crontab with a step above its range: %s', (_law, written, same) => {
    const plans = [written, same].map((crontab) => {
      const config = parseConfig(schedule(crontab), () => undefined);
      return (
        config.type === 'valid' && config.bindings.map((binding) => binding.type === 'schedule' && binding.crontab.plan)
      );
    });

    expect(plans[0]).toEqual(plans[1]);
  });

  it.each(['@every 0s', '@every -5s', '@every 1ms', '@every 0.5s'])('%s is every second', (crontab) => {
    expect(parseConfig(schedule(crontab), () => undefined)).toMatchObject({
      bindings: [{ crontab: { plan: { type: 'every', intervalMs: 1000 } } }],
    });
  });

  it('a resynchronizationPeriod of days is one, and another text has no effect but a warning', () => {
    expect(parseConfig(kubernetes('resynchronizationPeriod: 1d'), () => undefined)).toMatchObject({
      bindings: [{ resynchronizationPeriodMs: 86_400_000 }],
    });
    const other = parseConfig(kubernetes('resynchronizationPeriod: daily'), () => undefined);

    expect(other).toMatchObject({
      type: 'valid',
      warnings: [expect.stringContaining('kubernetes[0].resynchronizationPeriod: got "daily", which has no effect')],
    });
    expect(JSON.stringify(other)).not.toContain('resynchronizationPeriodMs');
  });
});
