import type * as api from '#api';
import { sentenceOfEntry } from './audit-words';

/** What somebody did with a patient, as the audit says it. */
export const Did = ({ change, patient }: { change: api.PatientRecord['changes'][number]; patient: api.PatientName }) =>
  sentenceOfEntry({ ...change, patient });
