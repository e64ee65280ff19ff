import type {
  ApiFinding,
  ApprovedApi,
  ClinicAction,
  FhirCapabilities,
  FhirSettings,
  MappingChoices,
} from '@clinic/shared/contracts/events/approved-api';
import type { NamesHere } from '../calendar/fhir/check';
import type { LiveEhr } from '../calendar/fhir/live-ehr';
import type { ClinicApiInput, ClinicApiResult } from './result';

export interface ClinicApi {
  kind: ApprovedApi['kind'];
  call(action: ClinicAction, input?: ClinicApiInput): Promise<ClinicApiResult>;
  /** Its appointments, for a call that goes on; null where the clinic has not chosen that calls act on them. */
  live: LiveEhr | null;
  /** Says what will work and what will not; changes nothing there. */
  check(names: NamesHere, signal?: AbortSignal): Promise<ApiChecked>;
  /** The mappings as the EHR itself suggests them, checked; null where it is no FHIR server. Changes nothing there. */
  fillMappings(names: NamesHere, signal?: AbortSignal): Promise<ApiFilled | null>;
}

export interface ApiChecked {
  findings: ApiFinding[];
  capabilities: FhirCapabilities | null;
}

export interface ApiFilled extends ApiChecked {
  settings: FhirSettings;
  choices: MappingChoices;
}
