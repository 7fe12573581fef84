import { expect, it } from 'vitest';
import { chosenNamespaces } from '../../../hooks/lib/namespaces.ts';
import { readScriptConfig } from '../../support/script-rig.ts';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const backup = fileURLToPath(new URL('../../../hooks/003-backup.sh', import.meta.url));

it.each([
  [undefined, undefined],
  ['', undefined],
  [' ', undefined],
  ['*', undefined],
  ['a *', undefined],
  ['a', ['a']],
  ['a b', ['a', 'b']],
  [' a,b ,, 12 ', ['a', 'b', '12']],
])('COPY_NAMESPACES %j stands for %j, in the hook for copies and in that for backups', async (value, names) => {
  const config = parse(await readScriptConfig(backup, value === undefined ? {} : { COPY_NAMESPACES: value }));

  expect(chosenNamespaces(value)).toEqual(names);
  const namespace = names === undefined ? undefined : { nameSelector: { matchNames: names } };
  expect(config).toMatchObject({ kubernetes: [{ name: 'settings' }, { name: 'configmaps' }, { name: 'secrets' }] });
  expect(config.kubernetes.slice(1).map((one: { namespace?: unknown }) => one.namespace)).toEqual([
    namespace,
    namespace,
  ]);
});
