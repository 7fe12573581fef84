/** A DNS label of at most `most` characters that is made of any text: small letters, digits and "-"; empty for none. */
export function dnsLabel(text: string, most = 63): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, most)
    .replaceAll(/^-+|-+$/g, '');
}
