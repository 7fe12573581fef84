/** A text in an attribute of XML, between double quotes. */
export function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll('\t', '&#9;').replaceAll('\n', '&#10;');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/**
 * A text in an element of XML. XML 1.0 does not allow most control characters, unpaired surrogates and two noncharacters,
 * not even escaped.
 */
export function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[&<>"\r]/g, (character) => ENTITIES[character] ?? character);
}
