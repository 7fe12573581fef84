import { at, objectsAt, textAt, textsAt } from '../json-fields.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import { isTerminating, nameOf } from '../object-meta.ts';
import { age, NONE, scalarOr, size, textOr, UNSET } from './cells.ts';
import { printer, type Printer } from './printer.ts';

/** The printers of the kinds for storage. */
export const STORAGE_PRINTERS: { readonly [collection: string]: Printer } = {
  persistentvolumes: printer(
    'Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age, VolumeMode+',
    (volume, now) => [
      nameOf(volume),
      scalarOr('0', volume, 'spec', 'capacity', 'storage'),
      accessModes(volume, 'spec'),
      textAt(volume, 'spec', 'persistentVolumeReclaimPolicy'),
      phase(volume),
      claimText(volume),
      storageClass(volume),
      textOr(UNSET, volume, 'spec', 'volumeAttributesClassName'),
      textAt(volume, 'status', 'reason'),
      age(volume, now),
      textOr(UNSET, volume, 'spec', 'volumeMode'),
    ],
  ),
  persistentvolumeclaims: printer(
    'Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, VolumeMode+',
    (claim, now) => {
      const bound = textAt(claim, 'spec', 'volumeName') !== '';
      return [
        nameOf(claim),
        phase(claim),
        textAt(claim, 'spec', 'volumeName'),
        bound ? scalarOr('0', claim, 'status', 'capacity', 'storage') : '',
        bound ? accessModes(claim, 'status') : '',
        storageClass(claim),
        textOr(UNSET, claim, 'spec', 'volumeAttributesClassName'),
        age(claim, now),
        textOr(UNSET, claim, 'spec', 'volumeMode'),
      ];
    },
  ),
  'storageclasses.storage.k8s.io': printer(
    'Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age',
    (object, now) => [
      isDefaultClass(object) ? `${nameOf(object)} (default)` : nameOf(object),
      textAt(object, 'provisioner'),
      textOr('Delete', object, 'reclaimPolicy'),
      textOr('Immediate', object, 'volumeBindingMode'),
      flag(object, 'allowVolumeExpansion'),
      age(object, now),
    ],
  ),
  'csidrivers.storage.k8s.io': printer(
    'Name, AttachRequired:boolean, PodInfoOnMount:boolean, StorageCapacity:boolean, TokenRequests, RequiresRepublish:boolean, Modes, Age',
    (object, now) => [
      nameOf(object),
      at(object, 'spec', 'attachRequired') !== false,
      flag(object, 'spec', 'podInfoOnMount'),
      flag(object, 'spec', 'storageCapacity'),
      at(object, 'spec', 'tokenRequests') === undefined
        ? UNSET
        : objectsAt(object, 'spec', 'tokenRequests')
            .map((request) => textAt(request, 'audience'))
            .join(','),
      flag(object, 'spec', 'requiresRepublish'),
      textsAt(object, 'spec', 'volumeLifecycleModes').join(',') || NONE,
      age(object, now),
    ],
  ),
  'csinodes.storage.k8s.io': printer('Name, Drivers:integer, Age', (object, now) => [
    nameOf(object),
    size(object, 'spec', 'drivers'),
    age(object, now),
  ]),
  'volumeattachments.storage.k8s.io': printer('Name, Attacher, PV, Node, Attached:boolean, Age', (object, now) => [
    nameOf(object),
    textAt(object, 'spec', 'attacher'),
    textAt(object, 'spec', 'source', 'persistentVolumeName'),
    textAt(object, 'spec', 'nodeName'),
    flag(object, 'status', 'attached'),
    age(object, now),
  ]),
  'volumeattributesclasses.storage.k8s.io': printer('Name, DriverName, Age', (object, now) => [
    nameOf(object),
    textAt(object, 'driverName'),
    age(object, now),
  ]),
};

const MODES: { readonly [mode: string]: string } = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(object: JsonObject, part: string): string {
  const given = new Set(textsAt(object, part, 'accessModes'));
  return Object.entries(MODES)
    .flatMap(([mode, short]) => (given.has(mode) ? [short] : []))
    .join(',');
}

function phase(object: JsonObject): string {
  return isTerminating(object) ? 'Terminating' : textAt(object, 'status', 'phase');
}

function claimText(volume: JsonObject): string {
  const claim = at(volume, 'spec', 'claimRef');
  return claim === undefined ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`;
}

function storageClass(object: JsonObject): string {
  const annotated = textAt(object, 'metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class');
  return annotated === '' ? textAt(object, 'spec', 'storageClassName') : annotated;
}

function isDefaultClass(object: JsonObject): boolean {
  return textAt(object, 'metadata', 'annotations', 'storageclass.kubernetes.io/is-default-class') === 'true';
}

function flag(object: JsonValue, ...path: readonly string[]): boolean {
  return at(object, ...path) === true;
}
