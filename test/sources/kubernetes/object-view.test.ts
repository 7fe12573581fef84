import { describe, expect, it } from 'vitest';

import type { CompiledFilter, FilterInput } from '../../../src/filter/compiled-filter.ts';
import { readObject } from '../../../src/kube/object.ts';
import { createMetrics } from '../../../src/metrics.ts';
import { bindMetrics } from '../../../src/sources/kubernetes/monitor-metrics.ts';
import { createObjectView } from '../../../src/sources/kubernetes/object-view.ts';
import { kubernetesBinding } from '../../support/bindings.ts';
import { kubeObject, type ObjectSpec } from '../../support/kube-objects.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

interface ViewOptions {
  readonly keeps: boolean;
  readonly filter?: CompiledFilter;
}

function viewOf({ keeps, filter }: ViewOptions) {
  const metrics = createMetrics('');
  const log = recordingLogger();
  const binding = kubernetesBinding('b', {
    keepFullObjectsInMemory: keeps,
    filter: { type: 'jq', expression: '.data' },
  });
  const view = createObjectView({ binding, filter, metrics: bindMetrics(metrics, 'h', binding), log });
  const look = (spec: ObjectSpec, kind = 'ConfigMap') => {
    const value = { ...kubeObject(spec), kind };
    const object = readObject(value, () => Buffer.from(JSON.stringify(value)));
    const { namespace, name, uid, resourceVersion } = object;
    return view({ namespace, name, uid, resourceVersion, json: keeps ? object.json() : undefined }, object);
  };
  return { log, look, metrics };
}

const FILTER: CompiledFilter = {
  apply: ({ value }: FilterInput) => ({ result: JSON.stringify(Object.keys(Object(value))) }),
};
const FAILING: CompiledFilter = { apply: () => ({ result: 'null', error: 'cannot index number' }) };
const PLACE = { namespace: 'default', name: 'a' };

describe('createObjectView', () => {
  it.each([
    { keeps: true, filter: undefined, members: ['namespace', 'name', 'object'] },
    { keeps: true, filter: FILTER, members: ['namespace', 'name', 'object', 'filterResult'] },
    { keeps: false, filter: FILTER, members: ['namespace', 'name', 'filterResult'] },
    { keeps: false, filter: undefined, members: ['namespace', 'name'] },
  ])('shows $members', ({ keeps, filter, members }) => {
    const { look } = viewOf({ keeps, ...(filter === undefined ? {} : { filter }) });

    const item = look({ name: 'a' });

    expect(item).toMatchObject(PLACE);
    expect(Object.keys(item)).toEqual(members);
  });

  it('shows the result of the filter on the parsed object', () => {
    expect(viewOf({ keeps: false, filter: FILTER }).look({ name: 'a' })).toMatchObject({
      filterResult: '["kind","apiVersion","metadata"]',
    });
  });

  it('shows a filter that failed as null and the reason, and loses nothing else', () => {
    const item = viewOf({ keeps: true, filter: FAILING }).look({ name: 'a' });

    expect(item).toMatchObject({ ...PLACE, filterResult: 'null', filterError: 'cannot index number' });
    expect(item).toHaveProperty('object');
  });

  it('logs a failing filter once for each kind, and counts all failures', async () => {
    const { log, look, metrics } = viewOf({ keeps: false, filter: FAILING });

    await look({ name: 'a' });
    await look({ name: 'b' });
    await look({ name: 'c' }, 'Other');

    expect(
      log.lines.map(({ level, fields }) => [level, fields.kind, fields['expression'], fields['filterError']]),
    ).toEqual([
      ['warn', 'ConfigMap', '.data', 'cannot index number'],
      ['warn', 'Other', '.data', 'cannot index number'],
    ]);
    expect([...metrics.filterErrors.series]).toMatchObject([{ value: 3 }]);
  });
});
