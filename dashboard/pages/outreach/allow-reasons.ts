import type * as api from '#api';
import { t } from '#texts';

export type AllowReason = NonNullable<api.PostPatientsByPatientIdOptOutsLiftData['body']>['reason'];

/** Why a number that was not to be called may be called again. */
export const allowReasons: Record<AllowReason, string> = {
  patient_asked: t`The patient wants to be called again`,
  entered_by_mistake: t`It was entered by mistake`,
  other_person: t`The number belongs to somebody else now`,
};
