import type { Prisma } from '@clinic/prisma/generated/client';

/** What is made up of one clinic, as the tables take it. */
export interface Rows {
  patients: Prisma.PatientCreateManyInput[];
  runs: Prisma.WorkflowRunCreateManyInput[];
  cases: Prisma.RecoveryCaseCreateManyInput[];
  calls: Prisma.CallCreateManyInput[];
  evidence: Prisma.CallEvidenceCreateManyInput[];
  decisions: Prisma.CallDecisionCreateManyInput[];
  events: Prisma.OutboundEventCreateManyInput[];
  deliveries: Omit<Prisma.DeliveryCreateManyInput, 'place'>[];
  attempts: Prisma.DeliveryAttemptCreateManyInput[];
  tasks: Prisma.StaffTaskCreateManyInput[];
  notes: Prisma.TaskNoteCreateManyInput[];
  optOuts: Prisma.OptOutCreateManyInput[];
  appointments: Prisma.AppointmentCreateManyInput[];
  waitlist: Prisma.WaitlistEntryCreateManyInput[];
}

export const noRows = (): Rows => ({
  patients: [],
  runs: [],
  cases: [],
  calls: [],
  evidence: [],
  decisions: [],
  events: [],
  deliveries: [],
  attempts: [],
  tasks: [],
  notes: [],
  optOuts: [],
  appointments: [],
  waitlist: [],
});

/** What Prisma takes for JSON. */
export const json = (value: unknown): Prisma.InputJsonValue =>
  JSON.parse(JSON.stringify(value)) as Prisma.InputJsonValue;
