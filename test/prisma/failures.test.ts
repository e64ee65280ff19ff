import { whyDatabaseFailed } from '@clinic/prisma/failures';

/** Of sockets, of the generated client, and SQLSTATEs: the same request may succeed a moment later. */
const down = `ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN
  P1001 P1002 P1008 P1017 P2024 P2028 P2034 P2037
  08006 53300 53400 57014 57P01 57P03 25P02 25P03 25P04 40001 40P01 55P03`.split(/\s+/);

test.each(down)('%s says that the database is down, as the driver has it or the generated client', (code) => {
  const failed = (about: object) => whyDatabaseFailed(Object.assign(new Error('failed'), about));

  expect(failed({ code })).toBe(code);
  expect(failed({ code: 'P2010', originalCode: code })).toBe(code);
  expect(failed({ cause: { code } })).toBe(code);
  expect(failed({ code: 'P2010', meta: { driverAdapterError: { cause: { originalCode: code } } } })).toBe(code);
});

test.each([
  ['DatabaseNotReachable', 'ECONNREFUSED'],
  ['ConnectionClosed', 'ECONNRESET'],
  ['SocketTimeout', 'ETIMEDOUT'],
  ['TooManyConnections', '53300'],
  ['TransactionWriteConflict', '40001'],
  ['UniqueConstraintViolation', null],
])('of the kind %s: %s', (kind, code) => {
  expect(whyDatabaseFailed({ cause: { kind } })).toBe(code);
});

test.each([
  ['Connection terminated unexpectedly', 'connection_lost'],
  ['timeout exceeded when trying to connect', 'connection_lost'],
  ["Can't reach database server", 'connection_lost'],
  ['Client has encountered a connection error and is not queryable', 'connection_lost'],
  ['Client was closed and is not queryable', 'connection_lost'],
  ['failed', null],
])('“%s” without a code: %s', (message, code) => {
  expect(whyDatabaseFailed(new Error(message))).toBe(code);
});

test.each([['23505'], ['25P01'], ['42P01'], ['P2002'], ['ENOENT'], [undefined]])(
  '%s is a fault of another kind',
  (code) => {
    expect(whyDatabaseFailed(Object.assign(new Error('failed'), { code }))).toBeNull();
  },
);

test('of an error in many others nothing is said', () => {
  const within = (depth: number): object => (depth === 0 ? { code: '57P01' } : { cause: within(depth - 1) });

  expect([whyDatabaseFailed(within(4)), whyDatabaseFailed(within(5)), whyDatabaseFailed('57P01')]).toEqual([
    '57P01',
    null,
    null,
  ]);
});
