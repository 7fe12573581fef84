import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import { STORAGE_PRINTERS } from '../../src/table/storage-printers.ts';
import { line } from './rows.ts';

const accessModes = ['ReadWriteMany', 'ReadWriteOnce'];
const isDefault = { 'storageclass.kubernetes.io/is-default-class': 'true' };

it.each<[string, JsonObject, string]>([
  [
    'persistentvolumes',
    {
      spec: {
        capacity: { storage: '1Gi' },
        accessModes,
        claimRef: { namespace: 'n', name: 'c' },
        storageClassName: 's',
      },
      status: { phase: 'Bound' },
    },
    'a|1Gi|RWO,RWX||Bound|n/c|s|<unset>||10s|<unset>',
  ],
  [
    'persistentvolumeclaims',
    { spec: { volumeMode: 'Block' }, status: { phase: 'Pending' } },
    'a|Pending|||||<unset>|10s|Block',
  ],
  [
    'persistentvolumeclaims',
    { spec: { volumeName: 'v' }, status: { phase: 'Bound', accessModes, capacity: { storage: '2Gi' } } },
    'a|Bound|v|2Gi|RWO,RWX||<unset>|10s|<unset>',
  ],
  [
    'storageclasses.storage.k8s.io',
    { metadata: { annotations: isDefault }, provisioner: 'p' },
    'a (default)|p|Delete|Immediate|false|10s',
  ],
  ['csidrivers.storage.k8s.io', { spec: {} }, 'a|true|false|false|<unset>|false|<none>|10s'],
  ['csinodes.storage.k8s.io', { spec: { drivers: [{}] } }, 'a|1|10s'],
  [
    'volumeattachments.storage.k8s.io',
    { spec: { attacher: 'x', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
    'a|x|v|n|false|10s',
  ],
  ['volumeattributesclasses.storage.k8s.io', { driverName: 'd' }, 'a|d|10s'],
])('%s %#', (collection, object, text) => {
  expect(line(STORAGE_PRINTERS[collection], object)).toBe(text);
});
