import type { ApprovedApi, ClinicAction, FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import type { ApiFinding, MappingChoices } from '@clinic/shared/contracts/events/approved-api-check';
import type { ApiChecked, NamesHere } from '../calendar/fhir/check';
import type { LiveEhr } from '../calendar/fhir/live-ehr';
import type { ClinicApiInput, ClinicApiResult } from './result';

export interface ClinicApi {
  kind: ApprovedApi['kind'];
  call(action: ClinicAction, input?: ClinicApiInput): Promise<ClinicApiResult>;
  /** Its appointments, for a call that goes on; null where the clinic has not chosen that calls act on them. */
  live: LiveEhr | null;
  /** Says what will work and what will not; changes nothing there. */
  check(names: NamesHere, asked?: CheckAsked): Promise<ApiChecked>;
  /** The mappings as the EHR itself suggests them, checked; null where it is no FHIR server. Changes nothing there. */
  fillMappings(names: NamesHere, asked?: CheckAsked): Promise<ApiFilled | null>;
  /** What visits are called there, and what could not be read of it; null where it is no FHIR server. Changes nothing there. */
  visitTypes(asked?: CheckAsked): Promise<{ visitTypes: MappingChoices['visitTypes']; gaps: ApiFinding[] } | null>;
}

export interface CheckAsked {
  /** What the server said of itself before. */
  known?: unknown;
  signal?: AbortSignal;
}

export interface ApiFilled extends ApiChecked {
  settings: FhirSettings;
  choices: MappingChoices;
}
