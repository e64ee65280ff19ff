import type * as api from '#api';
import { t } from '#texts';

/** The events that a clinic's platform sends, as people call them. */
export const inboundNames: Record<api.InboundUrl['event'], string> = {
  'forms-abandoned': t`Forms abandoned`,
  'forms-completed': t`Forms completed`,
  'appointment-created': t`Appointment created`,
  'appointment-approaching': t`Appointment approaching`,
  'payment-failed': t`Payment failed`,
  'prescription-status-changed': t`Prescription status changed`,
  'patient-follow-up-required': t`Patient follow-up required`,
};
