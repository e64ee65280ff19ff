import { refuseWeakPassword } from '@clinic/accounts/password-rules';

const owner = { email: 'mari.lopez@harbor.example', name: 'Ada', clinicName: 'Quay Dental' };

const own = 'must not be made of your e-mail address, your name or the name of the clinic';
const oneThing = 'must not be one piece that repeats, or a row of characters';
const common = 'is one that many people use, or one with some characters added; choose another';

test.each([
  ['xqzvkwpjbtn', 'must be at least 12 characters long'],
  ['🦊xqzvkwpjbt', 'must be at least 12 characters long'],
  ['xqzvkwpjbtnm'.repeat(11), 'must be at most 128 characters long'],
  ['abcdabcdabcd', oneThing],
  ['abcdabcdabcdxyz', oneThing],
  ['aaaaaaaaaaaa', oneThing],
  ['abcdefghijkl', oneThing],
  ['lkjihgfedcba', oneThing],
  ['890123456789', oneThing],
  ['1234passwordpassword', common],
  ['marixqzmarivk', own],
  ['LopezXqzvkwp', own],
  ['quayxqzquayvk', own],
  ['clinicworkflows', own],
])('%s %s', async (password, why) => {
  await expect(refuseWeakPassword(password, owner, 'password')).rejects.toMatchObject({
    code: 'bad_request',
    message: `password ${why}`,
    details: [{ path: 'password', message: why }],
  });
});

test.each([
  ['twelve characters', 'xqzvkwpjbtnm'],
  ['128 characters', 'xqzvkwpjbtnm'.repeat(10) + 'gfhdsryu'],
  ['a piece of five that repeats', 'xqzvkxqzvkxqzvk'],
  ['a piece of four that repeats, and four more', 'abcdabcdxqzv'],
  ['a row with two breaks', 'abcdxqzvkmnop'],
  ['eight characters beside a name', 'marixqzvkwpj'],
  ['a name of three letters and little else', 'adaxqzadavkw'],
])('%s will do', async (_, password) => {
  await expect(refuseWeakPassword(password, owner, 'password')).resolves.toBeUndefined();
});
