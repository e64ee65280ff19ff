import type { UnfinishedForm } from '@clinic/prisma/stores/outreach/placed-calls';
import type { RunContext } from '@clinic/shared/contracts/outreach/run-context';
import { isDate } from '@clinic/shared/domain/calendar/clinic-time';
import { spokenDay, spokenTime } from '@clinic/shared/domain/voice/spoken-time';

/** What a call is about, in words that the voice agent can say: variables of its prompt. */
export function subjectOf(context: RunContext, zone: string, now: string): Record<string, string> {
  const { appointment, payment, prescription, followUp } = context;
  return present({
    appointmentTime: appointment?.startsAt && spokenTime(appointment.startsAt, zone, now),
    appointmentProvider: appointment?.providerName,
    visitType: appointment?.visitType,
    paymentAmount: payment && amountOf(payment),
    paymentFailure: payment?.failureReason,
    medicationName: prescription?.medicationName,
    prescriptionStatus: prescription?.status,
    previousPrescriptionStatus: prescription?.previousStatus,
    followUpDue: followUp?.dueBy && spokenDay(followUp.dueBy, isDate(followUp.dueBy) ? 'UTC' : zone, now),
    followUpNote: followUp?.note,
  });
}

/** The form that a recovery is about, in the same way. */
export function formOf(form: UnfinishedForm | null): Record<string, string> {
  if (form === null) return {};
  const { lastPageReached, totalPages, completionPercentage, abandonedAtCheckout, selectedProducts } = form;
  const products = (selectedProducts ?? []).slice(0, MAX_PRODUCTS);
  return present({
    formName: form.formName ?? undefined,
    lastPage: lastPageReached?.toString(),
    totalPages: totalPages?.toString(),
    percentComplete: completionPercentage === null ? undefined : Math.round(completionPercentage).toString(),
    stoppedAtCheckout: abandonedAtCheckout ? 'yes' : undefined,
    products: products.map(({ productName, unitPrice }) => `${productName} at ${unitPrice.toFixed(2)}`).join(', '),
  });
}

/** More are not read aloud. */
const MAX_PRODUCTS = 10;

function amountOf({ amountCents, currency }: NonNullable<RunContext['payment']>): string | undefined {
  if (amountCents === undefined) return undefined;
  const amount = (amountCents / 100).toFixed(2);
  return currency ? `${amount} ${currency}` : amount;
}

function present(texts: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => Boolean(entry[1])));
}
