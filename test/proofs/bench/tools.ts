import { randomUUID } from 'node:crypto';
import { newId } from '@clinic/shared/crypto';
import { compare, load, type Measured, report } from './load';
import type { BenchStack } from './stack';

const CALLS = 400;
const FIRST_SLOT = Date.parse('2031-01-06T00:00:00Z');
const allDay = [{ opens: '00:00', closes: '24:00' }];
const everyDay = {
  monday: allDay,
  tuesday: allDay,
  wednesday: allDay,
  thursday: allDay,
  friday: allDay,
  saturday: allDay,
  sunday: allDay,
};

/**
 * One tool call, reading and writing, beside a bare Express route that sends the same SQL: the call looked up, the tool
 * call claimed, the work, the reply stored. Every tool call is a new one, on one of many calls.
 */
export async function tools(stack: BenchStack): Promise<void> {
  const { calls, clinicId, provider } = await prepare(stack);
  const headers = { 'x-voice-secret': stack.voiceSecret };
  const callOf = (index: number) => calls[index % calls.length] ?? '';
  let slots = 0;
  const nextSlot = () => new Date(FIRST_SLOT + (slots += 1) * 1_800_000).toISOString();

  const use = async (tool: string, index: number, args: Record<string, unknown>) => {
    const toolCalls = [{ id: randomUUID(), function: { arguments: args } }];
    const body = { message: { type: 'tool-calls', call: { id: callOf(index) }, toolCalls } };
    const answer = await stack.post(`${stack.api}/emr-tools/${tool}`, body, headers);
    if (!/\\"(found|success)\\":true/.test(answer)) throw new Error(`the tool answered ${answer}`);
  };
  const bare = (route: string, index: number, more: Record<string, unknown> = {}) =>
    stack.post(`${stack.baseline}/${route}`, {
      id: newId(),
      toolCallId: randomUUID(),
      call: callOf(index),
      ...more,
      message: { type: 'tool-calls' },
    });

  for (const [clients, times, goal] of [
    [1, 400, 'p50 <= 3 ms'],
    [16, 3_000, '>= 0.75'],
    [64, 3_000, '>= 0.75'],
  ] as const) {
    // A plan that a connection has made while a table was small reads all of it, until there are new statistics.
    await stack.analyze();
    const measure = (work: (index: number) => Promise<unknown>): Promise<Measured> => load({ clients, times, work });
    const reading = await compare({
      ours: () => measure((index) => use('get_upcoming_appointment', index, {})),
      baseline: () => measure((index) => bare('tool-read', index)),
    });
    report(`Live tool, reading (get_upcoming_appointment), ${clients} at once`, reading, goal);
    if (clients === 16)
      await stack.steps('Live tool, reading', times, () =>
        measure((index) => use('get_upcoming_appointment', index, {})),
      );
  }
  for (const [clients, times] of [
    [1, 200],
    [16, 1_000],
    [64, 1_000],
  ] as const) {
    await stack.analyze();
    const measure = (work: (index: number) => Promise<unknown>): Promise<Measured> => load({ clients, times, work });
    const book = () =>
      measure((index) =>
        use('book_appointment', index, { providerName: 'Dr.Bench', visitType: 'x', scheduledAt: nextSlot() }),
      );
    const writing = await compare({
      ours: book,
      baseline: () => measure((index) => bare('tool-write', index, { startsAt: nextSlot(), clinicId, provider })),
    });
    report(`Live tool, writing (book_appointment), ${clients} at once`, writing, '>= 0.75, p95 <= 150 ms');
    if (clients === 16) await stack.steps('Live tool, writing', times, book);
  }
}

/** A clinic of its own with one provider who works round the clock, and a patient with an appointment for each call. */
async function prepare({ database, stores, clinic, analyze }: BenchStack) {
  const policy = await stores.clinics.policy(clinic.clinicId);
  const about = { name: 'Bench', timezone: 'UTC', isDemo: false, voiceProvider: 'simulator', policy } as const;
  const clinicId = await stores.clinics.create(about);
  await database.sql`update clinics set sandbox_enabled = true where id = ${clinicId}`;
  const [provider] = await stores.providers.replace(clinicId, [
    { name: 'Dr.Bench', displayName: 'Dr. Bench', workingHours: everyDay, visitTypes: [] },
  ]);
  const calls = Array.from({ length: CALLS }, () => newId());
  await database.sql`
    insert into patients (id, clinic_id, first_name, last_name)
    select id, ${clinicId}, 'Ann', 'Lee' from unnest(${calls}::text[]) as id`;
  await database.sql`
    insert into calls (id, clinic_id, patient_id, direction, is_test, state, platform_call_id, started_at)
    select id, ${clinicId}, id, 'inbound', true, 'IN_PROGRESS', id, now() from unnest(${calls}::text[]) as id`;
  await database.sql`
    insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
    select gen_random_uuid()::text, ${clinicId}, id, ${provider?.id}, 'x', at, at + interval '30 minutes'
    from unnest(${calls}::text[]) with ordinality as call(id, n),
      lateral (select timestamptz '2030-01-07 00:00Z' + n * interval '30 minutes' as at) slot`;
  await analyze();
  return { calls, clinicId, provider: provider?.id };
}
