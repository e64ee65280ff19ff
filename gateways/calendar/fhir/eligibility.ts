import { z } from 'zod';
import type { InsuranceQuestion, PatientNotice } from '@clinic/shared/contracts/events/clinic-notice';
import type { FhirAnswer } from './exchange';
import { patientResource } from './patients';
import { idOf, isReferenceTo, resourcesOf } from '@clinic/shared/contracts/calendar/fhir-reading';
import type { Ask } from './requests';

/** The policy stands in the request itself: nobody has entered it anywhere yet. */
export function eligibilityRequest(
  { payerName, memberId, groupId, subscriberName }: InsuranceQuestion,
  {
    patient,
    externalPatientId,
    created,
  }: { patient: PatientNotice | null; externalPatientId: string | null; created: string },
) {
  const isKnown = externalPatientId !== null;
  const reference = isKnown ? `Patient/${externalPatientId}` : '#patient';
  const person = patient ? patientResource(patient) : { resourceType: 'Patient' };
  const group = {
    type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/coverage-class', code: 'group' }] },
  };
  return {
    resourceType: 'CoverageEligibilityRequest',
    contained: [
      ...(isKnown ? [] : [{ ...person, id: 'patient' }]),
      {
        resourceType: 'Coverage',
        id: 'coverage',
        status: 'active',
        subscriberId: memberId,
        ...(subscriberName && { policyHolder: { display: subscriberName } }),
        beneficiary: { reference },
        payor: [{ display: payerName }],
        ...(groupId && { class: [{ ...group, value: groupId }] }),
      },
    ],
    status: 'active',
    purpose: ['validation', 'benefits'],
    patient: { reference },
    created,
    insurer: { display: payerName },
    insurance: [{ focal: true, coverage: { reference: '#coverage' } }],
  };
}

const Benefit = z.object({
  type: z.object({ coding: z.array(z.object({ code: z.string().optional() })).optional() }).optional(),
  allowedMoney: z.object({ value: z.number() }).optional(),
});
const Answering = z.object({ request: z.object({ reference: z.string() }) });
const EligibilityResponse = z.object({
  resourceType: z.literal('CoverageEligibilityResponse'),
  outcome: z.string(),
  status: z.string().optional(),
  insurance: z
    .array(
      z.object({
        inforce: z.boolean().optional(),
        item: z.array(z.object({ benefit: z.array(Benefit).optional() })).optional(),
      }),
    )
    .optional(),
});

/** The verdict in the words of `insurance.verify`; null where the answer holds none. */
export function verdictIn(resource: unknown): { status: string; copayCents?: number; errorMessage?: string } | null {
  const response = EligibilityResponse.safeParse(resource).data;
  // What is queued, partial, a draft or cancelled is no verdict yet, or none any more.
  const { outcome, status = 'active' } = response ?? {};
  if (!response || outcome !== 'complete' || status !== 'active') return null;
  const inforce = response.insurance?.[0]?.inforce;
  if (inforce === undefined) return null;
  if (!inforce) return { status: 'NOT_IN_FORCE', errorMessage: 'The insurer says that this coverage is not in force.' };
  const benefits = (response.insurance ?? []).flatMap(({ item = [] }) => item.flatMap(({ benefit = [] }) => benefit));
  // `copay-maximum` is a bound of it: told where nothing else is.
  const amounts = ['copay', 'copay-maximum'].flatMap((wanted) =>
    benefits.flatMap(({ type, allowedMoney }) =>
      type?.coding?.some(({ code }) => code === wanted) ? (allowedMoney ?? []) : [],
    ),
  );
  const [copay] = amounts;
  return { status: 'VERIFIED', ...(copay && { copayCents: Math.round(copay.value * 100) }) };
}

/** A server that answers a request with the request itself keeps the verdict beside it. */
export async function answerTo(ask: Ask, made: FhirAnswer): Promise<object | null> {
  const id = idOf(made.body) ?? made.id;
  if (id === null) return null;
  const request = `CoverageEligibilityRequest/${id}`;
  const { body } = await ask({
    method: 'GET',
    path: 'CoverageEligibilityResponse',
    template: 'CoverageEligibilityResponse',
    query: [['request', request]],
  });
  // A server that ignores what it is asked for shows what was said of others too.
  const answers = resourcesOf('CoverageEligibilityResponse', body).filter((each) => {
    const named = Answering.safeParse(each).data?.request.reference;
    return named === undefined || isReferenceTo(named, request);
  });
  return verdictIn(answers[0]);
}
