/** What a TLS connection to the API server is made with. */
export interface TlsOptions {
  readonly ca?: Uint8Array | string;
  readonly cert?: Uint8Array | string;
  readonly key?: Uint8Array | string;
  /** The name the server's certificate must carry, where it is not the host of the address. */
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}
