/** The options of a TLS connection to the API server. */
export interface TlsOptions {
  readonly ca?: Uint8Array | string;
  readonly cert?: Uint8Array | string;
  readonly key?: Uint8Array | string;
  /** The name in the server's certificate, when it is not the host of the URL. */
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}
