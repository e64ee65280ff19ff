import type { Accounts } from '@clinic/prisma/accounts';
import type { Changes } from '@clinic/prisma/changes';
import type { Stores } from '@clinic/prisma/stores';
import type { ApiConfig } from '@clinic/shared/config';
import type { ClinicSystems } from '@clinic/shared/outbound/clinic-systems';
import type { CheckVoice } from '@clinic/shared/outbound/vapi/check';
import type { DialVapi } from '@clinic/shared/outbound/vapi/dial';
import type { FindVapiCall } from '@clinic/shared/outbound/vapi/find-call';
import type { Mail } from '@clinic/shared/outbound/mail';
import type { SendEvent } from '@clinic/shared/outbound/send-event';
import type { Dispatcher } from './dispatcher';
import type { Limits } from './http/limits';
import type { Metrics } from './metrics';
import type { Watch } from './validation/watch';

/** What the routes work with; each area takes what it needs of it. */
export interface RouteDeps {
  config: Pick<
    ApiConfig,
    | 'LOCAL_STACK'
    | 'PUBLIC_URL'
    | 'RETENTION_DAYS'
    | 'TEMPORAL_UI_URL'
    | 'TEMPORAL_NAMESPACE'
    | 'VAPI_API_KEY'
    | 'VAPI_ASSISTANT_ID'
    | 'VAPI_PHONE_NUMBER_ID'
    | 'VOICE_WEBHOOK_SECRET'
  >;
  stores: Stores;
  accounts: Accounts;
  changes: Changes;
  systems: ClinicSystems;
  /** Asks the voice platform whether calls could be placed. */
  checkVoice: CheckVoice;
  /** Has the voice platform ring a phone, for a call that no workflow places. */
  dialVapi: DialVapi;
  /** Asks the voice platform for a call that nobody placed or announced. */
  findVapiCall: FindVapiCall;
  /** Mails links to people, where the deployment can. */
  mail: Mail;
  temporal: Dispatcher;
  metrics: Metrics;
  limits: Limits;
  /** What validation runs see. */
  watch: Watch;
  /** Sends one event to a clinic's URL, as a validation run wants it. */
  sendEvent: SendEvent;
  /** Aborted when the process stops: what would go on for ever ends then. */
  stopping: AbortSignal;
}
