import { type Envelope, readEnvelope } from '@clinic/gateways/voice/vapi/envelope';

const args = { method: 'sms' };
const anEntry = (more: Record<string, unknown> = {}) => ({ id: 'a', type: 'function', ...more });
const body = (message: Record<string, unknown>) => ({ message });
const toolCalls = (...entries: unknown[]) => body({ toolCalls: entries });
const one = (given: unknown, more: Partial<Envelope['requests'][number]> = {}): Envelope => ({
  callPointer: null,
  isLegacy: false,
  requests: [{ id: 'a', name: null, arguments: given as Record<string, unknown>, isUnreadable: false, ...more }],
});
const unreadable = one({}, { isUnreadable: true });
const deep = (levels: number): unknown => (levels === 0 ? 1 : { inner: deep(levels - 1) });

/** What a platform sends, and what is made of it; null where nobody is to be answered. */
const corpus: [string, unknown, Envelope | null][] = [
  // where the calls are
  ['toolCalls', toolCalls(anEntry({ function: { arguments: args } })), one(args)],
  ['toolCallList', body({ toolCallList: [anEntry({ function: { arguments: args } })] }), one(args)],
  [
    'toolWithToolCallList',
    body({ toolWithToolCallList: [{ type: 'function', toolCall: anEntry({ function: { arguments: args } }) }] }),
    one(args),
  ],
  [
    'the same calls in all three lists',
    body({
      toolCalls: [anEntry({ function: { arguments: args } })],
      toolCallList: [anEntry({ function: { arguments: { other: true } } })],
      toolWithToolCallList: [{ toolCall: anEntry({ function: { arguments: {} } }) }],
    }),
    one(args),
  ],
  [
    'an empty list before one that is not',
    body({ toolCalls: [], toolCallList: [anEntry({ function: { arguments: args } })] }),
    one(args),
  ],
  [
    'a list that is none',
    body({ toolCalls: 'a', toolCallList: [anEntry({ function: { arguments: args } })] }),
    one(args),
  ],
  ['an empty list', toolCalls(), { callPointer: null, isLegacy: false, requests: [] }],

  // arguments
  ['arguments as a string', toolCalls(anEntry({ function: { arguments: '{"method":"sms"}' } })), one(args)],
  [
    'arguments as a string in a string',
    toolCalls(anEntry({ function: { arguments: '"{\\"method\\":\\"sms\\"}"' } })),
    one(args),
  ],
  ['parameters of the function', toolCalls(anEntry({ function: { parameters: args } })), one(args)],
  ['parameters as a string', toolCalls(anEntry({ function: { parameters: ' {"method":"sms"} ' } })), one(args)],
  ['arguments beside the function', toolCalls(anEntry({ arguments: args })), one(args)],
  ['parameters beside the function', toolCalls(anEntry({ parameters: '{"method":"sms"}' })), one(args)],
  [
    'arguments before parameters',
    toolCalls(anEntry({ function: { arguments: args, parameters: { other: true } }, arguments: {} })),
    one(args),
  ],
  ['no arguments', toolCalls(anEntry({ function: {} })), one({})],
  ['no function', toolCalls(anEntry()), one({})],
  ['arguments null', toolCalls(anEntry({ function: { arguments: null } })), one({})],
  ['arguments an empty string', toolCalls(anEntry({ function: { arguments: '' } })), one({})],
  ['arguments blank', toolCalls(anEntry({ function: { arguments: ' \n' } })), one({})],
  ['arguments the string null', toolCalls(anEntry({ function: { arguments: 'null' } })), one({})],
  ['null before parameters', toolCalls(anEntry({ function: { arguments: null, parameters: args } })), one(args)],
  ['arguments {}', toolCalls(anEntry({ function: { arguments: {} } })), one({})],
  ['unknown keys', toolCalls(anEntry({ function: { arguments: { ...args, x: [1] } } })), one({ ...args, x: [1] })],
  [
    'unicode',
    toolCalls(anEntry({ function: { arguments: '{"name":"Zoë 李 \\ud83d\\ude00"}' } })),
    one({ name: 'Zoë 李 😀' }),
  ],
  ['broken JSON', toolCalls(anEntry({ function: { arguments: '{"method":' } })), unreadable],
  ['a list as arguments', toolCalls(anEntry({ function: { arguments: ['sms'] } })), unreadable],
  ['a list in a string', toolCalls(anEntry({ function: { arguments: '["sms"]' } })), unreadable],
  ['a number as arguments', toolCalls(anEntry({ function: { arguments: 7 } })), unreadable],
  ['true as arguments', toolCalls(anEntry({ function: { arguments: true } })), unreadable],
  ['a word as arguments', toolCalls(anEntry({ function: { arguments: 'sms' } })), unreadable],
  ['a NUL in an argument', toolCalls(anEntry({ function: { arguments: '{"name":"a\\u0000b"}' } })), unreadable],
  ['half a surrogate pair', toolCalls(anEntry({ function: { arguments: { name: '\ud83d' } } })), unreadable],
  ['arguments nested too deeply', toolCalls(anEntry({ function: { arguments: deep(100) } })), unreadable],

  // names
  [
    'a name in the function',
    toolCalls(anEntry({ function: { name: 'x', arguments: args } })),
    one(args, { name: 'x' }),
  ],
  ['a name beside the function', toolCalls(anEntry({ name: 'x', arguments: args })), one(args, { name: 'x' })],
  ['a name that is none', toolCalls(anEntry({ name: 7, arguments: args })), one(args)],

  // ids
  ['toolCallId for id', toolCalls({ toolCallId: 'a', function: { arguments: args } }), one(args)],
  [
    'one id twice',
    toolCalls(anEntry({ arguments: args }), { id: 'b' }, anEntry({ arguments: { other: true } })),
    {
      ...one(args),
      requests: [...one(args).requests, ...one({}).requests.map((request) => ({ ...request, id: 'b' }))],
    },
  ],
  ['an entry without an id beside one with', toolCalls({ function: {} }, anEntry({ arguments: args })), one(args)],
  ['no entry with an id', toolCalls({ function: { arguments: args } }), null],
  ['an id that is a number', toolCalls({ id: 7 }), null],
  ['an empty id', toolCalls({ id: '' }), null],
  ['an id beyond any use', toolCalls({ id: 'x'.repeat(1_001) }), null],
  ['entries that are no objects', toolCalls('a', null, 7), null],

  // the pointer to the call
  [
    'a call',
    { message: { call: { id: 'call-1' }, toolCalls: [anEntry({ arguments: args })] } },
    { ...one(args), callPointer: 'call-1' },
  ],
  [
    'a call id that is a number',
    { message: { call: { id: 1 }, toolCalls: [anEntry({ arguments: args })] } },
    one(args),
  ],
  [
    'a call id that cannot be kept',
    { message: { call: { id: 'a\u0000' }, toolCalls: [anEntry({ arguments: args })] } },
    one(args),
  ],
  [
    'a call beside the message',
    { call: { id: 'call-1' }, message: { toolCalls: [anEntry({ arguments: args })] } },
    one(args),
  ],

  // the older single call
  [
    'functionCall',
    body({ type: 'function-call', functionCall: { name: 'x', parameters: args } }),
    { ...one(args, { id: 'function-call', name: 'x' }), isLegacy: true },
  ],
  [
    'functionCall with an id and parameters as a string',
    body({ functionCall: { id: 'a', parameters: '{"method":"sms"}' } }),
    { ...one(args), isLegacy: true },
  ],

  // everything around them
  [
    'a megabyte of conversation',
    body({
      type: 'tool-calls',
      timestamp: 1,
      artifact: { transcript: 'x'.repeat(1_000_000) },
      assistant: { prompt: 'y' },
      toolCalls: [anEntry({ function: { arguments: args } })],
    }),
    one(args),
  ],

  // no envelope
  ['nothing', undefined, null],
  ['null', null, null],
  ['a string', 'hello', null],
  ['a list', [], null],
  ['an empty object', {}, null],
  ['a message without calls', body({ type: 'status-update' }), null],
  ['calls without a message', { toolCalls: [anEntry()] }, null],
  ['lists that are none', body({ toolCalls: {}, toolCallList: 7, toolWithToolCallList: null }), null],
];

test('there are more than forty', () => expect(corpus.length).toBeGreaterThanOrEqual(40));

test.each(corpus)('%s', (_what, given, expected) => {
  expect(readEnvelope(given)).toEqual(expected);
});
