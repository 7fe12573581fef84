import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { eventually } from '../solutions/eventually.ts';
import { startSampleRig, type SampleRig } from './320-sampledb-rig.ts';

const LIMIT_MS = 300_000;
let rig: SampleRig;

beforeAll(async () => {
  rig = await startSampleRig(sharedControlPlane());
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

/** The dumps in the volume of the backups of a SampleDB, oldest first. */
function dumpsOf(name: string): readonly { readonly file: string; readonly text: string }[] {
  const root = rig.kubelet.volumeOf(rig.namespace, `${name}-backups`);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sql.gz'));
  return files.toSorted().map((file) => ({ file, text: gunzipSync(readFileSync(join(root, file))).toString() }));
}

async function uidOf(resource: string, name: string): Promise<string | undefined> {
  return (await rig.get(resource, name))?.metadata.uid;
}

describe('a SampleDB on real servers, with real PostgreSQL', () => {
  it(
    'serves the configured database, grows without touching its Pod, and takes a snapshot before it goes',
    async () => {
      rig.startOperator();
      await rig.make('shop', { extensions: ['pgcrypto'] });
      await rig.told('shop', { type: 'Ready', status: 'True' });
      await rig.sql('shop', `create table orders (n int); insert into orders values (1), (2)`);
      expect(await rig.sql('shop', `select extname from pg_extension where extname = 'pgcrypto'`)).toBe('pgcrypto');

      const pod = await uidOf('pods', 'shop-0');
      await rig.patch('sampledbs', 'shop', { spec: { storage: { size: '300Mi' }, backup: { size: '2Gi' } } });
      await eventually(async () => {
        expect((await rig.get('persistentvolumeclaims', 'shop-data'))?.['status']).toMatchObject({
          capacity: { storage: '300Mi' },
        });
      });
      expect(await uidOf('pods', 'shop-0')).toBe(pod);

      await rig.remove('sampledbs', 'shop');
      await eventually(async () => {
        expect(await rig.get('sampledbs', 'shop')).toBeUndefined();
      });
      expect(await rig.get('statefulsets', 'shop')).toBeUndefined();
      expect(await rig.get('persistentvolumeclaims', 'shop-data')).toBeUndefined();
      const [dump, ...others] = dumpsOf('shop');
      expect(others).toEqual([]);
      expect(dump?.file).toMatch(/-snapshot\.sql\.gz$/);
      expect(dump?.text).toMatch(/COPY public\.orders \(n\) FROM stdin;\n1\n2\n/);
    },
    LIMIT_MS,
  );
});
