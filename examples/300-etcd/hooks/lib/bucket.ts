/** Where backups are in a bucket of S3. */
export interface Bucket {
  readonly bucket: string;
  /** A Secret with `accessKey` and `secretKey`. */
  readonly secretName: string;
  /** AWS, where it is absent. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly prefix?: string;
  /** Default: NAMESPACE/NAME of the EtcdCluster, or of the Backup of example 310. */
  readonly folder?: string;
  /** The identity whose folder is taken over, or whose backup is restored. */
  readonly takeOver?: string;
}

/** A backup in a bucket. */
export interface StoredBackup extends Bucket {
  /** The name of the EtcdCluster, or of the Backup of example 310, that the backups belong to; in this namespace. */
  readonly of: string;
  /** The newest one, where it is absent. */
  readonly backup?: string;
}

/** Says where a backup is, for people. */
export function placeOf({ bucket, folder, of, backup = 'the newest backup' }: StoredBackup): string {
  return `${backup} of ${folder ?? of} in the bucket ${bucket}`;
}
