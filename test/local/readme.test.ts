import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  AppointmentApproaching,
  AppointmentCreated,
  FormsAbandoned,
  FormsCompleted,
  inboundEvents,
  PatientFollowUpRequired,
  PaymentFailed,
  PrescriptionStatusChanged,
} from '@clinic/shared/contracts/events/inbound-events';
import { deliveryWaitsMs } from '@clinic/shared/domain/events/delivery-schedule';
import { OutboundBody, outboundEvents, sampleOf } from '@clinic/shared/contracts/events/outbound-events';
import { newSigningSecret, sign } from '@clinic/shared/signing';
import type { z } from 'zod';

const run = promisify(execFile);

interface Package {
  workspaces: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const root = join(__dirname, '../..');
const packageOf = (room: string) => JSON.parse(readFileSync(join(root, room, 'package.json'), 'utf8')) as Package;
const rooms = packageOf('.').workspaces;

/** The rows of the table under a heading of a page. */
const tableUnder = (page: string, heading: string) =>
  (readFileSync(join(root, page), 'utf8').split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'));

test('every direct dependency of every room stands in the table of dependencies', () => {
  const table = tableUnder('CONTRIBUTING.md', 'Why these dependencies').join('\n').toLowerCase();
  const names = ['.', ...rooms].flatMap((room) => {
    const { dependencies, devDependencies } = packageOf(room);
    return Object.keys({ ...dependencies, ...devDependencies });
  });

  const missing = [...new Set(names)].filter((name) => {
    const scope = /^@[^/]+\//.exec(name)?.[0];
    return !hasWord(table, name) && !(scope && table.includes(`${scope}*`));
  });

  expect(missing).toEqual([]);
});

test('every room stands in the table of rooms', () => {
  const table = tableUnder('README.md', 'Where things are').join('\n');

  expect(rooms.filter((room) => !table.includes(`\`${room}/\``))).toEqual([]);
});

test('commands are pasted as they stand: zsh takes no comments, and every answer ends its line', () => {
  const guides = [
    'README.md',
    ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : [])),
  ];
  const commands = guides.flatMap((guide) =>
    [...readFileSync(join(root, guide), 'utf8').matchAll(/\n```sh\n(.*?)```/gs)].flatMap(([, text = '']) =>
      text
        // What a here-document holds is no command.
        .replaceAll(/<<'(\w+)'\n.*?\n\1\n/gs, '\n')
        .split('\n')
        .map((line) => `${guide}: ${line}`),
    ),
  );

  expect(commands.filter((line) => /(?:: |\s)#(?:\s|$)/.test(line))).toEqual([]);
  // What is kept in a variable, read by another program or ended with an echo needs no newline of its own.
  expect(commands.filter((line) => /: curl -s\b/.test(line))).toEqual([]);
});

describe('what docs/integrate.md shows', () => {
  const guide = readFileSync(join(root, 'docs/integrate.md'), 'utf8');
  const blocks = (language: string) =>
    [...guide.matchAll(new RegExp(`\\n\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text);
  const bodies = blocks('json').map((text) => JSON.parse(text) as { event?: string });
  const bodyOf = (event: string) => bodies.find((body) => body.event === event);

  test('is a body of every event in, which its contract takes', () => {
    const contracts: [string, z.ZodType][] = [
      ['forms.abandoned', FormsAbandoned],
      ['forms.completed', FormsCompleted],
      ['appointment.created', AppointmentCreated],
      ['appointment.approaching', AppointmentApproaching],
      ['payment.failed', PaymentFailed],
      ['prescription.status_changed', PrescriptionStatusChanged],
      ['patient.follow_up_required', PatientFollowUpRequired],
    ];
    expect(contracts.map(([event]) => event).toSorted()).toEqual(Object.values(inboundEvents).toSorted());
    for (const [event, contract] of contracts)
      expect([event, contract.safeParse(bodyOf(event)).error]).toEqual([event, undefined]);
  });

  test('is a body of every event out, as it is sent', () => {
    for (const event of Object.keys(outboundEvents))
      expect([event, OutboundBody.safeParse(bodyOf(event)).error]).toEqual([event, undefined]);
    expect(bodyOf('test')).toMatchObject(sampleOf('test', ''));
  });

  test('is when a delivery that failed is tried again, as contract.md has it', () => {
    const units = [
      [3_600_000, 'h'],
      [60_000, 'min'],
      [1_000, 's'],
    ] as const;
    const waits = deliveryWaitsMs.map((ms) => {
      const [size, unit] = units.find(([each]) => ms % each === 0) ?? [1, 'ms'];
      return `${ms / size} ${unit}`;
    });
    const toldIn = (text: string) => /tried again after (.*? and \d+ \w+)/.exec(text.replaceAll(/\s+/g, ' '))?.[1];
    const contract = readFileSync(join(root, 'docs/contract.md'), 'utf8');
    const told = `${waits.slice(0, -1).join(', ')} and ${waits.at(-1)}`;
    expect([guide, contract].map(toldIn)).toEqual([told, told]);
  });

  test('takes a genuine delivery and no other: in JavaScript, in Python', async () => {
    const secrets = [newSigningSecret(), newSigningSecret()];
    const [secret = ''] = secrets;
    const body = JSON.stringify({ event: 'test', data: { message: 'naïve ✓' } });
    const headersAt = (timestamp: number) => ({
      'webhook-id': 'msg-1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign({ id: 'msg-1', timestamp, body, secrets: secrets.toReversed() }),
    });
    const now = Math.floor(Date.now() / 1_000);
    const cases = [
      [body, headersAt(now), secret, true],
      [`${body} `, headersAt(now), secret, false],
      [body, headersAt(now), newSigningSecret(), false],
      [body, headersAt(now - 600), secret, false],
    ] as const;
    const asked = JSON.stringify(cases);
    const javascript = `${blocks('js')[0]}
      const cases = JSON.parse(process.argv[1]);
      console.log(JSON.stringify(cases.map(([body, headers, secret]) => isGenuine(Buffer.from(body), headers, secret))));`;
    const python = `${blocks('python')[0]}
import json, sys
print(json.dumps([is_genuine(body.encode(), headers, secret) for body, headers, secret, _ in json.loads(sys.argv[1])]))`;
    const said = await Promise.all([
      run(process.execPath, ['-e', javascript, asked]),
      run('python3', ['-c', python, asked]),
    ]);

    for (const { stdout } of said) expect(JSON.parse(stdout)).toEqual(cases.map(([, , , isGenuine]) => isGenuine));
  });
});

function hasWord(text: string, word: string): boolean {
  const literal = word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`(?<![\\w@/-])${literal}(?![\\w/-])`).test(text);
}
