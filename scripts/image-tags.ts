// Prints the names of an image for a workflow: X.Y.Z, which is never moved, and X.Y and X, which follow it unless the
// version has a suffix.

export interface ImageRelease {
  /** Such as `v1.2.3`. */
  readonly tag: string;
  /** Such as `owner/name`, in any case. */
  readonly repository: string;
  /** Empty, or `-slim`. */
  readonly suffix: string;
}

/** The name of the image without a tag, and all its names with one. */
export function imageNames({ tag, repository, suffix }: ImageRelease): {
  readonly image: string;
  readonly tags: readonly string[];
} {
  const [, version = '', major = '', minor = '', preview] = /^v((\d+)\.(\d+)\.\d+(-[\w.]+)?)$/.exec(tag) ?? [];
  if (version === '') throw new Error(`${tag} is no tag of a release, expected one such as v1.2.3`);
  const image = `ghcr.io/${repository.toLowerCase()}`;
  const versions = preview === undefined ? [version, `${major}.${minor}`, major] : [version];
  return { image, tags: versions.map((one) => `${image}:${one}${suffix}`) };
}

if (process.argv[1] === import.meta.filename) {
  const { GITHUB_REF_NAME: tag = '', GITHUB_REPOSITORY: repository = '', SUFFIX: suffix = '' } = process.env;
  const { image, tags } = imageNames({ tag, repository, suffix });
  process.stdout.write(`image=${image}\ntags=${tags.join(',')}\n`);
}
