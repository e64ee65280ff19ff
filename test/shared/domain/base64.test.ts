import { isBase64 } from '@clinic/shared/domain/base64';

test('base64 is complete groups of four, padded', () => {
  for (const text of ['QQ==', 'QUI=', 'QUJD', 'QUJDRA==', 'ab+/']) expect([text, isBase64(text)]).toEqual([text, true]);
  for (const text of ['', '=', '==', '====', 'Q===', 'QQ=', 'QUJ', 'Q=QQ', 'QQ==QQ==', 'ab-_', 'QU D', 'QUJD\n']) {
    expect([text, isBase64(text)]).toEqual([text, false]);
  }
});

test('many megabytes are read as well', () => {
  const text = Buffer.alloc(24 * 1024 * 1024).toString('base64');

  expect(isBase64(text)).toBe(true);
  expect(isBase64(`${text.slice(0, -4)}QU*D`)).toBe(false);
});
