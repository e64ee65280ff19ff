import type * as api from '#api';
import { t } from '#texts';

/** HL7's reasons for a cancellation, as the front desk says them. */
export const cancellationReasons: Record<api.CancellationReason, string> = {
  pat: t`The patient asked`,
  'pat-fb': t`Feels better`,
  'pat-lt': t`No transportation`,
  'pat-mv': t`Has moved away`,
  'pat-ucp': t`Wants another provider`,
  prov: t`The provider cannot`,
  'oth-weath': t`Weather`,
  'oth-err': t`Booked by mistake`,
  other: t`Something else`,
  'pat-crs': t`The patient, by the automated reminder`,
  'pat-cpp': t`The patient, in the portal`,
  'pat-dec': t`The patient has died`,
  'pat-mt': t`The patient’s insurance has ended`,
  'pat-preg': t`The patient is pregnant`,
  'pat-swl': t`Has a time from the waitlist`,
  'prov-pers': t`The provider, for personal reasons`,
  'prov-dch': t`The provider has discharged the patient`,
  'prov-edu': t`The provider is in a meeting or course`,
  'prov-hosp': t`The provider is in hospital`,
  'prov-labs': t`Lab values out of range`,
  'prov-mri': t`MRI screening form: do not proceed`,
  'prov-onc': t`The oncology plan has changed`,
  maint: t`Equipment is being repaired`,
  'meds-inc': t`Preparation or medication not complete`,
  'oth-cms': t`Therapy cap: service not authorized`,
  'oth-fin': t`Cost`,
  'oth-iv': t`No usable IV access`,
  'oth-int': t`No interpreter`,
  'oth-mu': t`Preparation, medication or results missing`,
  'oth-room': t`The room is not usable`,
  'oth-oerr': t`The order was wrong`,
  'oth-swie': t`Walk-in entered by mistake`,
};

export const CancellationReason = ({ of }: { of: api.CancellationReason }) => cancellationReasons[of];
