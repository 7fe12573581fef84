import { expect, it } from 'vitest';
import { ManifestApplier } from '../../src/cli/dev/manifest-applier.ts';
import { recordingLogger } from '../support/recording-logger.ts';

const early = { kind: 'Widget' };
const definition = { kind: 'CustomResourceDefinition' };

function open() {
  const log = recordingLogger();
  const kinds: unknown[] = [];
  const apply = async ({ kind }: { readonly [key: string]: unknown }): Promise<void> => {
    kinds.push(kind);
    if (kind === 'Widget' && !kinds.includes('CustomResourceDefinition')) throw new Error('no such kind');
    if (kind === 'Broken') throw new Error('refused');
  };
  const said = () => log.lines.splice(0).map(({ level, fields }) => `${level} ${String(fields['file'])}`);
  return { applier: new ManifestApplier({ apply, identity: () => 'object', log }), kinds, said };
}

it('an object that came before its definition is applied after it, and nothing is told of the refusal', async () => {
  const { applier, kinds, said } = open();

  await applier.apply(early, 'a.yaml');
  await applier.apply(definition, 'b.yaml');
  await applier.settle();
  await applier.settle();

  expect(kinds).toEqual(['Widget', 'CustomResourceDefinition', 'Widget']);
  expect(said()).toEqual(['info b.yaml', 'info a.yaml']);
});

it('a refusal is told once, and tried again only after something else was applied', async () => {
  const { applier, kinds, said } = open();
  await applier.apply({ kind: 'Broken' }, 'a.yaml');
  await applier.settle();
  await applier.settle();
  expect(kinds).toEqual(['Broken']);

  await applier.apply(definition, 'b.yaml');
  await applier.settle();

  expect(kinds).toEqual(['Broken', 'CustomResourceDefinition', 'Broken']);
  expect(said()).toEqual(['error a.yaml', 'info b.yaml']);
});

it('what is forgotten is not tried again', async () => {
  const { applier, kinds } = open();
  await applier.apply(early, 'a.yaml');

  applier.forget('a.yaml');
  await applier.apply(definition, 'b.yaml');
  await applier.settle();

  expect(kinds).toEqual(['Widget', 'CustomResourceDefinition']);
});
