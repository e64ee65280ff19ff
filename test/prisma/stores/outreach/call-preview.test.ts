import type { PreviewFilter } from '@clinic/prisma/stores/outreach/call-preview';
import { newId } from '@clinic/shared/crypto';
import { openRecords, type Records } from '../../../support/records';

let records: Records;
const names = new Map<string, string>();
const patients = new Map<string, string>();

const at = (instant: string) => new Date(`2030-01-${instant}:00.000Z`);

interface About {
  run?: object;
  call?: object;
  /** As its event told of it. */
  told?: { providerName?: string; visitType?: string };
  /** As our records have it, found by our id or by the platform's. */
  known?: 'by our id' | 'by their id';
}

/** Runs that differ in what they are found by. */
const runs: Record<string, About> = {
  plain: { run: { startedAt: at('01T10:00') } },
  other: { run: { startedAt: at('02T10:00'), workflowType: 'payment-recovery' } },
  told: { run: { startedAt: at('03T10:00') }, told: { providerName: 'Dr. Told', visitType: 'Told visit' } },
  known: {
    run: { startedAt: at('04T10:00') },
    told: { providerName: 'Dr. Told', visitType: 'Told visit' },
    known: 'by our id',
  },
  theirs: { run: { startedAt: at('05T10:00') }, told: {}, known: 'by their id' },
  called: { run: { startedAt: at('06T10:00') }, call: { state: 'ENDED' } },
  tested: { run: { startedAt: at('07T10:00') }, call: { isTest: true } },
  calling: { run: { startedAt: at('08T10:00') }, call: {} },
  over: { run: { startedAt: at('09T10:00'), status: 'completed', outcome: 'INFORMED', completedAt: at('09T11:00') } },
};

async function arrange(clinicId: string, prefix: string) {
  const { prisma } = records.database;
  const { id: providerId } = await prisma.provider.findFirstOrThrow({ where: { clinicId } });
  for (const [name, { run = {}, call, told, known }] of Object.entries(runs)) {
    const { workflowId, patientId, workflowType } = await records.aRun({ clinicId });
    names.set(workflowId, `${prefix}${name}`);
    patients.set(`${prefix}${name}`, patientId);
    const appointmentId = newId();
    const context = told ? { appointment: { appointmentId, ...told } } : {};
    await prisma.workflowRun.update({ where: { id: workflowId }, data: { ...run, context } });
    if (call) {
      const usual = { direction: 'outbound', state: 'RINGING' };
      const id = newId();
      await prisma.call.create({ data: { id, clinicId, patientId, workflowId, workflowType, ...usual, ...call } });
    }
    if (known) {
      const ids = known === 'by our id' ? { id: appointmentId } : { id: newId(), externalId: appointmentId };
      const [startsAt, endsAt] =
        known === 'by our id' ? [at('20T10:00'), at('20T10:30')] : [at('21T10:00'), at('21T10:30')];
      const visit = { clinicId, patientId, providerId, visitType: 'Known visit', startsAt, endsAt };
      await prisma.appointment.create({ data: { ...ids, ...visit } });
    }
  }
}

beforeAll(async () => {
  records = await openRecords();
  await arrange(records.clinicId, '');
  await arrange(records.otherClinicId, 'elsewhere ');
});
afterAll(() => records.close());

const usual = ['plain', 'other', 'told', 'known', 'theirs', 'called', 'tested'];

test.each<[what: string, filter: () => Partial<PreviewFilter>, found: string[]]>([
  ['without a filter', () => ({}), usual],
  ['up to a number', () => ({ limit: 2 }), ['plain', 'other']],
  ['of a type', () => ({ workflowType: 'payment-recovery' }), ['other']],
  ['of a patient', () => ({ patientId: patients.get('told') }), ['told']],
  ['of a patient of another clinic', () => ({ patientId: patients.get('elsewhere told') }), []],
  ['with a provider that was told', () => ({ providerName: 'Dr. Told' }), ['told']],
  ['with a provider of our records', () => ({ providerName: 'Dr.Vega' }), ['known', 'theirs']],
  ['with a visit that was told', () => ({ visitType: 'Told visit' }), ['told']],
  ['with a visit of our records', () => ({ visitType: 'Known visit' }), ['known', 'theirs']],
  ['from an instant on', () => ({ from: at('03T10:00').toISOString() }), usual.slice(2)],
  ['from just after an instant', () => ({ from: '2030-01-03T10:00:00.001Z' }), usual.slice(3)],
  ['before an instant', () => ({ until: at('03T10:00').toISOString() }), usual.slice(0, 2)],
  ['by the name of their patients', () => ({ search: 'lee ann' }), usual],
  ['by what nobody is called', () => ({ search: 'nobody' }), []],
])('open runs that are in no call are previewed %s, oldest first', async (_what, filter, found) => {
  const previewed = await records.stores.callPreview.openRuns(records.clinicId, { limit: 100, ...filter() });

  expect(previewed.map(({ workflowId }) => names.get(workflowId))).toEqual(found);
});

test('a preview says when what a run is about begins, as our records have it', async () => {
  const previewed = await records.stores.callPreview.openRuns(records.clinicId, { limit: 100 });

  const starts = previewed.flatMap(({ workflowId, facts }) =>
    facts.uselessFrom ? [[names.get(workflowId), facts.uselessFrom]] : [],
  );
  expect(starts).toEqual([
    ['known', at('20T10:00').toISOString()],
    ['theirs', at('21T10:00').toISOString()],
  ]);
});

test('a preview knows which runs a later event of the same thing has overtaken, before they are woken', async () => {
  const { prisma } = records.database;
  const { clinicId, patientId, workflowId } = await records.aRun({ workflowType: 'prescription-follow-up' });
  const context = { prescription: { prescriptionId: 'rx-1', status: 'delayed' } };
  await prisma.workflowRun.update({ where: { id: workflowId }, data: { context, startedAt: at('01T10:00') } });
  const later = { clinicId, patientId, workflowType: 'prescription-follow-up', sessionId: newId(), context };
  await prisma.workflowRun.create({ data: { id: 'later', ...later, startedAt: at('01T11:00') } });

  const previewed = await records.stores.callPreview.openRuns(clinicId, { patientId, limit: 100 });

  expect(previewed.map((run) => [run.workflowId, run.facts.isSuperseded])).toEqual([
    [workflowId, true],
    ['later', false],
  ]);
});
