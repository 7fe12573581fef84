import { UsageError } from '../../errors.ts';
import { exists } from '../../lib/exists.ts';
import type { CertificateFiles } from './files.ts';

/** Where the certificate of the webhook server comes from. */
export type CertificateSource =
  | ({ readonly type: 'files' } & CertificateFiles)
  | { readonly type: 'secret'; readonly namespace: string; readonly name: string }
  | {
      readonly type: 'selfMade';
      readonly namespace: string;
      /** Of the Secret. */
      readonly name: string;
      readonly authorityMs: number;
      readonly leafMs: number;
    };

/** What `--webhook-certificates` says. */
export type CertificateChoice =
  | { readonly type: 'auto' }
  | { readonly type: 'files' }
  | { readonly type: 'secret'; readonly name: string }
  | { readonly type: 'self' };

/** Reads `--webhook-certificates`; throws an Error whose message is what was expected. */
export function parseCertificateChoice(value: string): CertificateChoice {
  if (value === '') return { type: 'auto' };
  if (value === 'files' || value === 'self') return { type: value };
  const name = /^secret\/([a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?)$/.exec(value)?.[1];
  if (name !== undefined) return { type: 'secret', name };
  throw new Error('files, secret/<name> or self');
}

export interface SourceOptions {
  readonly choice: CertificateChoice;
  readonly files: CertificateFiles;
  /** Of hooklet's own objects; undefined when it is not known. */
  readonly namespace: string | undefined;
  /** Of the installation: a Secret that hooklet makes is `<name>-webhook-certs`. */
  readonly name: string;
  readonly authorityMs: number;
  readonly leafMs: number;
}

/**
 * Finds where the certificate comes from: without a choice, from the files if the one with the certificate exists, else
 * it is made by hooklet. Rejects with `UsageError` where a Secret is needed and no namespace is known.
 */
export async function certificateSource(options: SourceOptions): Promise<CertificateSource> {
  const { choice, files, namespace, name, authorityMs, leafMs } = options;
  if (choice.type === 'files') return { type: 'files', ...files };
  if (choice.type === 'auto' && (await exists(files.cert))) return { type: 'files', ...files };
  if (namespace === undefined) {
    const hint = `set POD_NAMESPACE, or put the certificate at ${files.cert}`;
    throw new UsageError(`the Secret with the certificate of webhooks needs a namespace: ${hint}`);
  }
  if (choice.type === 'secret') return { type: 'secret', namespace, name: choice.name };
  return { type: 'selfMade', namespace, name: `${name}-webhook-certs`, authorityMs, leafMs };
}
