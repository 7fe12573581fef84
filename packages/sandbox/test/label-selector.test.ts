import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from '../src/label-selector.ts';

const object = { metadata: { labels: { app: 'web', tier: 'front', 'a.b/c': '5' } } };

describe('label selectors', () => {
  it.each([
    ['', true],
    ['app', true],
    ['!app', false],
    ['!other', true],
    ['app=web', true],
    ['app==web', true],
    ['app = web', true],
    ['app=other', false],
    ['app!=web', false],
    ['other!=web', true],
    ['app in (web, db)', true],
    ['app in (db)', false],
    ['other in (web)', false],
    ['app notin (db)', true],
    ['other notin (db)', true],
    ['a.b/c>4', true],
    ['a.b/c>5', false],
    ['a.b/c<6,app', true],
    ['tier>1', false],
    ['app=web,tier!=back,!other', true],
    ['app=web,tier=back', false],
    ['app=', false],
    ['app in ()', false],
  ])('%j matches: %s', (text, matches) => {
    expect(parseLabelSelector(text)(object)).toBe(matches);
  });

  it.each([
    ['n foo', "unable to parse requirement: found 'foo', expected: in, notin, =, ==, !=, gt, lt"],
    ['n===', "unable to parse requirement: found '=', expected: identifier"],
    ['===', "found '==', expected: !, identifier, or 'end of string'"],
    ['n=a b', "found 'b', expected: ',' or 'end of string'"],
    [
      'n>a',
      "unable to parse requirement: values[0]: Invalid value: \"a\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['n in (a b)', "unable to parse requirement: found 'b', expected: ',' or ')'"],
    ['n in (a', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['n,,m', "found ',', expected: identifier after ','"],
  ])('%j is refused in the words of the API server', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ code: 400, message }));
  });

  it('keys and values must be well formed', () => {
    expect(() => parseLabelSelector('-n')).toThrow('name part must consist of');
    expect(() => parseLabelSelector('n=a_')).toThrow('a valid label must be an empty string or consist of');
  });
});
