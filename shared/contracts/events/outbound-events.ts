import { z } from 'zod';
import { Instant } from '../primitives';
import { RecoveryStatus } from '../outreach/recovery';
import { TargetUrl } from './target-url';
import { Outcome, WorkflowTypeName } from '../outreach/workflows';

interface Described<Data extends z.ZodObject, Sent extends 'unless_refused' | 'if_chosen' | 'on_request'> {
  /** The `data` of its body: anyone who writes the event builds this. */
  data: Data;
  /** What has happened, in OpenAPI. */
  summary: string;
  /** What a receiver must know besides. */
  description: string;
  /** To which endpoints: those that did not choose otherwise, those that chose it, or the one for which somebody asks. */
  sent: Sent;
  /** Its data about nobody. */
  sample: (subject: string) => z.output<Data>;
}

/** The compiler holds a sample against the data that it is a sample of. */
const described = <Data extends z.ZodObject, Sent extends 'unless_refused' | 'if_chosen' | 'on_request'>(
  event: Described<Data, Sent>,
) => event;

/** Every event that the service sends: names, bodies, OpenAPI, what a clinic may choose and samples are all made of this table. */
export const outboundEvents = {
  'recovery_case.created': described({
    data: z.object({
      recoveryCaseId: z.string(),
      sessionId: z.string(),
      patientFirstName: z.string(),
      patientLastName: z.string(),
    }),
    summary: 'A recovery case was created; nobody was called yet',
    description:
      'It is attempted before any outreach, and once for each case. Its outcome follows as an event of its own.',
    sent: 'unless_refused',
    sample: (subject) => ({
      recoveryCaseId: subject,
      sessionId: subject,
      patientFirstName: 'Sample',
      patientLastName: 'Patient',
    }),
  }),
  'recovery_case.outcome': described({
    data: z.object({ recoveryCaseId: z.string(), sessionId: z.string(), recoveryStatus: RecoveryStatus }),
    summary: 'A recovery case reached its terminal status',
    description:
      '`RECOVERED` says that the patient agreed to finish and was promised the resume link. This service sends nothing to patients: your system sends the link of `sessionId` when this event comes.',
    sent: 'unless_refused',
    sample: (subject) => ({ recoveryCaseId: subject, sessionId: subject, recoveryStatus: 'RECOVERED' as const }),
  }),
  'workflow.completed': described({
    data: z.object({
      workflowId: z.string(),
      workflowType: WorkflowTypeName,
      sessionId: z.string(),
      outcome: Outcome,
    }),
    summary: 'A workflow of another type has ended (opt-in)',
    description:
      'Of every type but abandonment-recovery, whose end is `recovery_case.outcome`. `sessionId` is what the event or the REST start named it by.',
    sent: 'if_chosen',
    sample: (subject) => ({
      workflowId: subject,
      workflowType: 'appointment-reminder' as const,
      sessionId: subject,
      outcome: 'CONFIRMED' as const,
    }),
  }),
  test: described({
    data: z.object({ message: z.string() }),
    summary: 'Somebody pressed "send test event"',
    description:
      'Answer it with 2xx as any other, and do nothing. It says that the URL is reached and the signature is right.',
    sent: 'on_request',
    sample: () => ({ message: 'This is a test event.' }),
  }),
} as const;
type Events = typeof outboundEvents;

export type SentEventName = keyof Events;
const names = Object.keys(outboundEvents) as [SentEventName, ...SentEventName[]];
export const SentEventName = z.enum(names).meta({ id: 'OutboundEvent' });

/** What a FHIR Subscription of a sandbox is sent: it has a body of its own. */
const notificationNames = ['subscription.handshake', 'subscription.heartbeat', 'subscription.event'] as const;

/** What a delivery may be of. */
export const DeliveredEventName = z.enum([...names, ...notificationNames]).meta({ id: 'DeliveredEvent' });

/** `POST /api/integrations/outbound/test`; the body may be left out. */
export const SampleEvent = z
  .strictObject({ event: SentEventName.default('test').describe('Of which event a sample is sent') })
  .optional()
  .transform((body) => body ?? { event: 'test' as const });

/** An event with its data. */
export type OutboundEvent = {
  [Name in SentEventName]: { event: Name; data: z.output<Events[Name]['data']> };
}[SentEventName];

/** The events that a clinic can choose. */
export type OutboundEventName = {
  [Name in SentEventName]: Events[Name]['sent'] extends 'on_request' ? never : Name;
}[SentEventName];
const sentTo = (name: SentEventName) => outboundEvents[name].sent;
const isChosen = (name: SentEventName): name is OutboundEventName => sentTo(name) !== 'on_request';
const chosenNames = names.filter(isChosen);
export const OutboundEventName = z.enum(chosenNames);

/** The events every registered URL receives unless the clinic chooses otherwise: the contract's two. */
export const defaultOutboundEvents = chosenNames.filter((name) => sentTo(name) === 'unless_refused');

export const sampleOf = (event: SentEventName, subject: string): OutboundEvent =>
  ({ event, data: outboundEvents[event].sample(subject) }) as OutboundEvent;

const bodyOf = <Name extends SentEventName>(event: Name) =>
  z.object({ event: z.literal(event), clinicId: z.string(), sentAt: Instant, data: outboundEvents[event].data });
type Body = { [Name in SentEventName]: ReturnType<typeof bodyOf<Name>> }[SentEventName];

/** The body of every outgoing request. It is the same at each attempt; the attempt's own time is in `webhook-timestamp`. */
export const OutboundBody = z.discriminatedUnion('event', names.map((name) => bodyOf(name)) as [Body, ...Body[]]);
export type OutboundBody = z.infer<typeof OutboundBody>;

/** `PUT /api/integrations/outbound`. */
export const OutboundSettings = z.strictObject({
  url: TargetUrl.nullable(),
  enabled: z.boolean().default(true),
  events: z
    .array(OutboundEventName)
    .max(20)
    .default(defaultOutboundEvents)
    .transform((events) => [...new Set(events)]),
});
export type OutboundSettings = z.output<typeof OutboundSettings>;

export const OutboundView = z
  .object({
    url: z.string().nullable(),
    enabled: z.boolean(),
    events: z.array(OutboundEventName),
    disabledReason: z.string().nullable().describe('Why the service switched it off; registering it again clears it'),
    secretCreatedAt: Instant.nullable(),
    previousSecretExpiresAt: Instant.nullable().describe('Until then events carry a signature of the old secret too'),
  })
  .meta({ id: 'OutboundSettings' });
