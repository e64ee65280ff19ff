import type { Route } from '../http/route';
import type { RouteDeps } from '../route-deps';
import { apiKeyRoutes } from './integrations/api-keys';
import { approvedApiRoutes } from './integrations/approved-api';
import { callMeRoutes } from './integrations/call-me';
import { clientKeyRoutes } from './integrations/client-keys';
import { closedDayRoutes } from './integrations/closed-days';
import { crmRoutes } from './integrations/crm';
import { endpointRoutes } from './integrations/endpoints';
import { inboundRoutes } from './integrations/inbound';
import { languageRoutes } from './integrations/language';
import { outboundRoutes } from './integrations/outbound';
import { phoneNumberRoutes } from './integrations/phone-numbers';
import { providerRoutes } from './integrations/providers';
import { callingPolicyRoutes } from './integrations/calling-policy';
import { tryApprovedApiRoutes } from './integrations/try-approved-api';
import { voiceRoutes } from './integrations/voice';

/** What a clinic sets on its integrations page: staff may read it, admins may change it (decisions, section 11). */
export const integrationRoutes = (deps: RouteDeps): Route[] => [
  ...outboundRoutes(deps),
  ...endpointRoutes(deps),
  ...inboundRoutes(deps),
  ...apiKeyRoutes(deps),
  ...callingPolicyRoutes(deps),
  ...approvedApiRoutes(deps),
  ...tryApprovedApiRoutes(deps),
  ...clientKeyRoutes(deps),
  ...crmRoutes(deps),
  ...phoneNumberRoutes(deps),
  ...voiceRoutes(deps),
  ...callMeRoutes(deps),
  ...providerRoutes(deps),
  ...closedDayRoutes(deps),
  ...languageRoutes(deps),
];
