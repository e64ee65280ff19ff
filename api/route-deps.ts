import type { Accounts } from '@clinic/accounts/accounts';
import type { Changes } from '@clinic/prisma/changes';
import type { Stores } from '@clinic/prisma/stores';
import type { ApiConfig } from '@clinic/shared/config';
import type { ClinicSystems } from '@clinic/gateways/clinic-systems';
import type { VoicePlatforms } from '@clinic/gateways/voice/registry';
import type { Mail } from '@clinic/gateways/mail/mail';
import type { SendEvent } from '@clinic/gateways/receivers/send-event';
import type { Dispatcher } from './dispatcher';
import type { Limits } from './http/limits';
import type { GuessCounter } from './routes/accounts/guess-counter';
import type { Metrics } from './metrics';
import type { AnswerToolCalls } from './tools/tool-post';
import type { RunReports } from '@clinic/sandbox/readiness/run-report';
import type { Watch } from '@clinic/sandbox/readiness/watch';

declare module './http/route' {
  /** What the routes work with; each area takes what it needs of it. */
  interface RouteDeps {
    config: Pick<
      ApiConfig,
      'LOCAL_STACK' | 'NODE_ENV' | 'PUBLIC_URL' | 'RETENTION_DAYS' | 'TEMPORAL_UI_URL' | 'TEMPORAL_NAMESPACE'
    >;
    /** Where clients are pointed at, as `https://clinic.example/api`. */
    baseUrl: string;
    stores: Stores;
    accounts: Accounts;
    changes: Changes;
    systems: ClinicSystems;
    /** The voice platforms: their settings, their messages, and calls that no workflow places. */
    voice: VoicePlatforms;
    /** Mails links to people, where the deployment can. */
    mail: Mail;
    temporal: Dispatcher;
    /** The replies to a platform's tool calls. */
    answerToolCalls: AnswerToolCalls;
    /** The country whose national numbers a clinic's platform writes; remembered for a minute. */
    countryOf: (clinicId: string) => Promise<string>;
    metrics: Metrics;
    limits: Limits;
    /** Slows down those who try passwords or tokens. */
    guesses: GuessCounter;
    /** What validation runs see. */
    watch: Watch;
    /** What validation runs found. */
    runReports: RunReports;
    /** Sends one event to a clinic's URL, as a validation run wants it. */
    sendEvent: SendEvent;
    /** Aborted when the process stops: what would go on for ever ends then. */
    stopping: AbortSignal;
  }
}

export type { RouteDeps } from './http/route';
