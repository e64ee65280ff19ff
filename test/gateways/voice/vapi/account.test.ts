import { type Answer, type HttpReceiver, json, startHttpReceiver } from '../../../support/outside/http-receiver';
import { createSafeHttp, type SafeHttp } from '@clinic/gateways/http/safe-http';
import { clinicVoice } from '@clinic/gateways/voice/clinic-voice';
import { createVapiAssistants, isMadeFor, revised } from '@clinic/gateways/voice/vapi/assistants';
import { checkVapiVoice } from '@clinic/gateways/voice/vapi/check';
import { VoiceSettings } from '@clinic/shared/contracts/voice/voice';
import { workflowTypeNames } from '@clinic/shared/domain/outreach/workflow-types';

const PUBLIC_URL = 'https://us.example';
const EVENTS = `${PUBLIC_URL}/api/voice/events`;
const KEY = 'own-key';

let http: SafeHttp;
let platform: HttpReceiver;

beforeAll(async () => {
  http = createSafeHttp({ allowPrivateTargets: true });
  platform = await startHttpReceiver();
});
afterAll(() => Promise.all([http.close(), platform.close()]));

const access = (baseUrl = platform.url) => ({ http, baseUrl, apiKey: KEY });
/** What the platform answers about assistants and about numbers. */
const answers = (assistant: Answer, number: Answer = json(200, { id: 'line' })) =>
  platform.answer((request, response) =>
    (request.path.startsWith('/assistant') ? assistant : number)(request, response),
  );
const refusal = (status: number, message: unknown = 'No') => json(status, { message, statusCode: status });

describe('the check of a voice', () => {
  const operator = {
    apiKey: null,
    assistantId: null,
    phoneNumberId: null,
    secret: 's',
    variables: { apiKey: 'KEY', assistantId: 'ASSISTANT', phoneNumberId: 'NUMBER' },
  };
  const settings = VoiceSettings.parse({ apiKey: KEY, phoneNumberId: 'line', assistantId: 'desk' });
  interface Kept extends Partial<VoiceSettings> {
    number?: string | null;
  }
  /** `!` is a problem. */
  async function check(changed: Kept = {}, { baseUrl = platform.url } = {}) {
    const voice = clinicVoice({ ...settings, number: '+15005550181', ...changed }, operator, 'secret');
    const asked = { publicUrl: PUBLIC_URL, expected: null, http, baseUrl };
    const findings = await checkVapiVoice(voice, asked);
    return findings.map(({ code, path, isProblem, message }) => ({
      found: `${code}${isProblem ? '!' : ''} ${path}`.trim(),
      message,
    }));
  }
  const found = async (...about: Parameters<typeof check>) => (await check(...about)).map((each) => each.found);

  const noNumber = { phoneNumberId: null };
  const [first, second, ...others] = workflowTypeNames;
  const oneMute = { assistantId: null, assistants: Object.fromEntries(others.map((type) => [type, 'desk'])) };
  const mute = [`no_assistant assistants.${first}`, `no_assistant assistants.${second}`];
  const desk = json(200, { id: 'desk' });
  test.each<[string, Kept, Answer, Answer, string[]]>([
    ['nothing, of what the platform has', {}, desk, json(200, { id: 'line' }), []],
    ['a number', noNumber, desk, refusal(500), ['no_number! phoneNumberId']],
    [
      'a number, and the key is refused',
      noNumber,
      refusal(401),
      refusal(500),
      ['no_number! phoneNumberId', 'credentials_refused! apiKey'],
    ],
    [
      'a number, and the platform is down',
      noNumber,
      refusal(500),
      refusal(401),
      ['no_number! phoneNumberId', 'platform_unavailable!'],
    ],
    [
      'a number, and the assistant is unknown',
      noNumber,
      refusal(404),
      refusal(500),
      ['no_number! phoneNumberId', 'assistant_unknown! assistantId'],
    ],
    ['who talks for some', oneMute, desk, json(200, { id: 'line' }), mute],
    [
      'who talks for some, and who does is unknown',
      oneMute,
      refusal(404),
      json(200, { id: 'line' }),
      [...mute, `assistant_unknown! assistants.${others[0]}`],
    ],
    [
      'who talks for some, and the key is refused',
      oneMute,
      desk,
      refusal(402),
      [...mute, 'credentials_refused! apiKey'],
    ],
    ['who talks for some, and the platform is down', oneMute, desk, refusal(503), [...mute, 'platform_unavailable!']],
    [
      'who talks for some, and the number is unknown',
      oneMute,
      desk,
      refusal(400),
      [...mute, 'number_unknown! phoneNumberId'],
    ],
    [
      'who talks for some, and the number is switched off',
      oneMute,
      desk,
      json(200, { id: 'line', status: 'blocked' }),
      [...mute, 'number_not_active! phoneNumberId'],
    ],
    ['everybody', { assistantId: null }, refusal(500), desk, ['no_assistant! assistantId']],
  ])('that lacks %s tells what is missing first', async (_what, kept, assistant, number, expected) => {
    answers(assistant, number);

    expect(await found(kept)).toEqual(expected);
  });

  test('that has no key asks nobody', async () => {
    platform.received.length = 0;

    expect(await found({ apiKey: null })).toEqual(['no_account! apiKey']);
    expect(await found({ apiKey: null, assistantId: null, phoneNumberId: null })).toEqual([
      'no_account! apiKey',
      'no_number! phoneNumberId',
      'no_assistant! assistantId',
    ]);
    expect(platform.received).toEqual([]);
  });

  const unavailable = (said: string) => [
    'platform_unavailable!',
    `The voice platform cannot be asked right now: ${said}`,
  ];
  const refusedKey = (said: string) => ['credentials_refused! apiKey', `is refused by the platform: ${said}`];
  const unknown = (said: string) => ['assistant_unknown! assistantId', `is not known to the platform as desk${said}`];
  test.each<[string, Answer, string[]]>([
    ['400', refusal(400), unknown(': No')],
    ['401', refusal(401), refusedKey('No')],
    ['402', refusal(402), refusedKey('No')],
    ['403', refusal(403), refusedKey('No')],
    ['404', refusal(404), unknown(': No')],
    ['405', refusal(405), unavailable('it answered 405')],
    ['409', refusal(409), unavailable('it answered 409')],
    ['429', refusal(429), unavailable('it answered 429')],
    ['500', refusal(500), unavailable('it answered 500')],
    ['a sentence of several', refusal(400, ['One', 'two']), unknown(': One; two')],
    ['no sentence', json(404, {}), unknown('')],
    ['a sentence that is none', refusal(404, 7), unknown('')],
    ['a sentence with the key', refusal(401, ` Invalid ${KEY} `), refusedKey('Invalid …')],
    ['no id', json(200, {}), unavailable('its answer cannot be read')],
    ['nothing', json(200, null), unavailable('its answer cannot be read')],
    ['a page', (_request, response) => response.end('<html>'), unavailable('its answer cannot be read')],
  ])('tells an answer of %s in words', async (_what, assistant, [code, message]) => {
    answers(assistant);

    expect(await check()).toEqual([{ found: code, message }]);
  });

  test('tells that nobody answers', async () => {
    const [only, ...more] = await check({}, { baseUrl: 'http://127.0.0.1:1' });

    expect([only?.found, more]).toEqual(['platform_unavailable!', []]);
    expect(only?.message).toContain('the call to 127.0.0.1:1 failed: ECONNREFUSED');
  });

  const elsewhere = 'assistant_server_differs! assistantId';
  const tools = (...urls: unknown[]) => ({ model: { tools: urls.map((url) => ({ type: 'x', server: { url } })) } });
  test.each<[string, object, string[]]>([
    ['nothing more', {}, []],
    ['no server', { server: null }, []],
    ['a server without an address', { server: {} }, []],
    ['a server whose address is null', { server: { url: null } }, []],
    ['a server whose address is none', { server: { url: 'elsewhere' } }, []],
    ['our server', { server: { url: EVENTS } }, []],
    ['our server with a slash and a query', { server: { url: `${EVENTS}/?key=1` } }, []],
    ['another path of ours', { server: { url: `${PUBLIC_URL}/api/voice` } }, [elsewhere]],
    ['a server of others', { server: { url: 'https://elsewhere.example/api/voice/events' } }, [elsewhere]],
    ['no model', { model: null }, []],
    ['a model without tools', { model: {} }, []],
    ['a model whose tools are null', { model: { tools: null } }, []],
    ['tools without a server', { model: { tools: [{ type: 'endCall' }, { server: null }, { server: {} }] } }, []],
    ['tools of ours', tools(`${PUBLIC_URL}/api/tools/a`, null, 'none'), []],
    ['one of others among ours', tools(`${PUBLIC_URL}/api/tools/a`, 'https://elsewhere.example/a?key=1'), [elsewhere]],
    ['one of a host that begins as ours', tools(`${PUBLIC_URL}.elsewhere.example/a`), [elsewhere]],
    [
      'server and tools of others',
      { server: { url: 'https://a.example' }, ...tools('https://a.example/b') },
      [elsewhere, elsewhere],
    ],
    ['no message for machines', { voicemailMessage: null }, []],
    ['an empty message for machines', { voicemailMessage: '' }, []],
    ['a message for machines', { voicemailMessage: 'Hello' }, ['assistant_leaves_message assistantId']],
  ])('of an assistant with %s', async (_what, more, expected) => {
    answers(json(200, { id: 'desk', ...more }));

    expect(await found()).toEqual(expected);
  });

  test('tells where an assistant and its tools lead, without what may be secret', async () => {
    const server = { url: 'https://elsewhere.example/hook/?key=s3cret' };
    answers(json(200, { id: 'desk', server, ...tools('https://elsewhere.example/tool?key=s3cret') }));

    expect((await check()).map(({ message }) => message)).toEqual([
      `sends its messages to https://elsewhere.example/hook, and not to ${EVENTS}`,
      `has tools that call https://elsewhere.example/tool, and not this service at ${PUBLIC_URL}`,
    ]);
  });

  test('tells of an assistant beside a number that is unknown, each in its own words', async () => {
    answers(json(200, { id: 'desk', server: { url: 'https://elsewhere.example' } }), refusal(404, 'Gone'));

    expect(await check()).toEqual([
      { found: elsewhere, message: expect.stringContaining('elsewhere.example') },
      { found: 'number_unknown! phoneNumberId', message: 'is not known to the platform as line: Gone' },
    ]);
  });

  test('finds nothing to say of a message for machines where the clinic leaves one', async () => {
    answers(json(200, { id: 'desk', voicemailMessage: 'Hello' }));

    expect(await found({ voicemail: { isDetected: true, leavesMessage: true } })).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    ['nothing more', {}, []],
    ['nothing in it', { number: null, status: null, server: null }, []],
    ['what is so here', { number: '+15005550181', status: 'active', server: { url: `${EVENTS}/` } }, []],
    ['another number', { number: '+15005550199' }, ['number_differs! phoneNumberId']],
    ['another state', { status: 'activating' }, ['number_not_active! phoneNumberId']],
    ['another server', { server: { url: 'https://elsewhere.example' } }, ['number_server_differs phoneNumberId']],
    [
      'all of it otherwise',
      { number: '+15005550199', status: 'blocked', server: { url: 'https://elsewhere.example' } },
      ['number_differs! phoneNumberId', 'number_not_active! phoneNumberId', 'number_server_differs phoneNumberId'],
    ],
  ])('of a number with %s', async (_what, more, expected) => {
    answers(desk, json(200, { id: 'line', ...more }));

    expect(await found()).toEqual(expected);
  });

  test.each<[string, number, string]>([
    ['is refused', 403, 'credentials_refused! apiKey'],
    ['is not answered', 500, 'platform_unavailable!'],
  ])('tells once what holds for all where each question %s', async (_what, status, expected) => {
    const assistants = Object.fromEntries(workflowTypeNames.map((type, index) => [type, `a-${index}`]));
    answers(refusal(status), refusal(status));

    expect(await found({ assistants })).toEqual([expected]);
  });
});

describe('the assistants of an account', () => {
  const assistants = (baseUrl?: string) => createVapiAssistants(access(baseUrl), PUBLIC_URL);
  const asked = () => platform.received.map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
  beforeEach(() => void (platform.received.length = 0));

  test.each([['a'], ['10000000-0000-4000-8000-000000000001']])('one that is made has the id %s', async (id) => {
    answers(json(201, { id, more: true }));

    expect(await assistants().create({ name: 'x' })).toBe(id);
    expect(asked()).toEqual(['POST /assistant']);
  });

  test('one that is changed is named in the address, whatever comes back', async () => {
    answers(json(200, {}));

    await assistants().update('a', { name: 'x' });

    expect([asked(), platform.received[0]?.body]).toEqual([['PATCH /assistant/a'], '{"name":"x"}']);
  });

  test('are listed the oldest first', async () => {
    const at = (id: string, createdAt: string) => ({ id, createdAt });
    answers(json(200, [at('c', '2026-03-01'), at('a', '2026-01-01'), at('b', '2026-02-01')]));

    expect((await assistants().list()).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  const unread = 'its answer cannot be read';
  const again = (what: string, why: string) => `The voice platform did not answer ${what}: ${why}. Run it again.`;
  test.each<[string, Answer, string, string]>([
    ['an id that is empty', json(201, { id: '' }), 'unavailable', again('POST /assistant', unread)],
    ['no id', json(201, {}), 'unavailable', again('POST /assistant', unread)],
    ['an id that is none', json(201, { id: 7 }), 'unavailable', again('POST /assistant', unread)],
    [
      'a page',
      (_request, response) => response.writeHead(201).end('<html>'),
      'unavailable',
      again('POST /assistant', unread),
    ],
    ['401', refusal(401), 'conflict', 'The voice platform refuses POST /assistant: 401 No'],
    ['400 with the key', refusal(400, `of ${KEY}`), 'conflict', 'The voice platform refuses POST /assistant: 400 of …'],
    ['500 without a word', json(500, {}), 'conflict', 'The voice platform refuses POST /assistant: 500'],
  ])('of which one cannot be made for %s say so', async (_what, answer, code, message) => {
    answers(answer);

    await expect(assistants().create({})).rejects.toMatchObject({ code, message });
  });

  test.each<[string, object]>([
    ['no id', { createdAt: '2026-01-01' }],
    ['an empty id', { id: '', createdAt: '2026-01-01' }],
    ['no time', { id: 'a' }],
  ])('cannot be read where one has %s', async (_what, one) => {
    answers(json(200, [one]));

    await expect(assistants().list()).rejects.toMatchObject({ message: again('GET /assistant', unread) });
  });

  test('of a platform that nobody answers at', async () => {
    const updated = assistants('http://127.0.0.1:1').update('a', {});

    await expect(updated).rejects.toMatchObject({
      code: 'unavailable',
      message: again('PATCH /assistant/a', 'the call to 127.0.0.1:1 failed: ECONNREFUSED'),
    });
  });

  const wanted = {
    name: 'Harbor',
    metadata: { madeBy: 'us', model: 'begins-with' },
    model: { provider: 'openai', model: 'begins-with', temperature: 0.3, messages: ['m'], tools: ['t'] },
  };
  const chosen = { provider: 'other', model: 'chosen', messages: ['older'], tools: [], more: 1 };
  test.each<[string, unknown, object, string]>([
    ['a model', chosen, { ...chosen, messages: ['m'], tools: ['t'] }, 'chosen'],
    ['a model without a name', {}, { messages: ['m'], tools: ['t'] }, 'none'],
    ['no model', undefined, wanted.model, 'begins-with'],
    ['a model that is null', null, wanted.model, 'begins-with'],
    ['a model that is none', 'chosen', wanted.model, 'begins-with'],
  ])('one that was made with %s keeps what was chosen there', (_what, model, expected, named) => {
    const made = revised({ id: 'a', createdAt: '', model, voicemailMessage: 'theirs' }, wanted);

    expect(made).toEqual({
      name: 'Harbor',
      metadata: { madeBy: 'us', model: named === 'none' ? undefined : named },
      model: expected,
      voicemailMessage: null,
    });
    expect(revised({ id: 'a', model }, { ...wanted, voicemailMessage: 'ours' })).toMatchObject({
      voicemailMessage: 'ours',
    });
  });

  const mark = { madeBy: 'clinic-workflows', clinicId: 'c-1', workflowType: 'payment-recovery' };
  test.each<[string, unknown, boolean]>([
    ['as it is made', { ...mark, more: 1 }, true],
    ['of somebody else', { ...mark, madeBy: 'us' }, false],
    ['of another clinic', { ...mark, clinicId: 'c-2' }, false],
    ['of another type', { ...mark, workflowType: 'waitlist-offer' }, false],
    ['of nothing', {}, false],
    ['that is none', 'payment-recovery', false],
    ['that is missing', undefined, false],
  ])('one with a mark %s is one for this clinic and type: %s', (_what, metadata, expected) => {
    expect(isMadeFor({ id: 'a', createdAt: '', metadata }, 'c-1', 'payment-recovery')).toBe(expected);
  });
});
