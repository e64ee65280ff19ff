import { type ToolFact, toolFacts } from '@clinic/shared/domain/outreach/conversation';
import type { ToolChange } from '@clinic/prisma/stores/voice/tool-calls';
import { noteChanges } from '@clinic/workflows/outreach/clinic-notices';

type Untold = Parameters<typeof noteChanges>[0];

const call = { clinicId: 'clinic-1', workflowId: 'workflow-1', callId: 'call-1' };
const everything = ['appointment.book', 'appointment.cancel', 'document.write', 'patient.upsert'] as const;

/** What the clinic's own systems are told of, by what a tool did; of the rest they hear nothing. */
const told: Record<ToolFact, (typeof everything)[number] | null> = {
  booked: 'appointment.book',
  rescheduled: 'appointment.book',
  cancelled: 'appointment.cancel',
  documented: 'document.write',
  escalated: 'document.write',
  billing_escalated: null,
  self_pay: null,
  insurance_updated: 'patient.upsert',
  declined: null,
  registered: 'patient.upsert',
};

test.each(toolFacts)('that something was %s the systems of a clinic are told as it permits', (fact) => {
  const noted = (permitted: readonly (typeof everything)[number][]) => {
    const untold: Untold = [];
    noteChanges(untold, call, { changes: [{ fact, detail: {} }], permitted: [...permitted], said: null });
    return untold.map(({ action }) => action);
  };
  const action = told[fact];

  expect(noted(everything)).toEqual(action === null ? [] : [action]);
  expect(noted(everything.filter((each) => each !== action))).toEqual([]);
});

test('of one thing they are told once, what came last; of two visits twice', () => {
  const untold: Untold = [];
  const heard = { permitted: [...everything], said: null };
  const changes: ToolChange[] = [
    { fact: 'booked', detail: { appointmentId: 'visit-1' } },
    { fact: 'documented', detail: {} },
    { fact: 'rescheduled', detail: { appointmentId: 'visit-1' } },
    { fact: 'booked', detail: { appointmentId: 'visit-2' } },
    { fact: 'escalated', detail: {} },
  ];
  noteChanges(untold, call, { ...heard, changes });
  noteChanges(untold, { ...call, callId: 'call-2' }, { ...heard, changes: changes.slice(1, 3) });

  expect(untold.map(({ action, appointmentId, callId }) => [action, appointmentId ?? null, callId])).toEqual([
    ['appointment.book', 'visit-1', 'call-2'],
    ['document.write', null, 'call-1'],
    ['appointment.book', 'visit-2', 'call-1'],
    ['document.write', null, 'call-2'],
  ]);
});
