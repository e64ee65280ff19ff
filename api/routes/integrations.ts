import type { Changes } from '@clinic/prisma/changes';
import type { Stores } from '@clinic/prisma/stores';
import type { ClinicSystems } from '@clinic/shared/outbound/clinic-systems';
import type { Route } from '../http/route';
import type { Dispatcher } from '../dispatcher';
import { apiKeyRoutes } from './integrations/api-keys';
import { approvedApiRoutes } from './integrations/approved-api';
import { crmRoutes } from './integrations/crm';
import { inboundRoutes } from './integrations/inbound';
import { outboundRoutes } from './integrations/outbound';
import { phoneNumberRoutes } from './integrations/phone-numbers';
import { providerRoutes } from './integrations/providers';
import { callingPolicyRoutes } from './integrations/calling-policy';
import { tryApprovedApiRoutes } from './integrations/try-approved-api';

export interface IntegrationDeps {
  stores: Stores;
  changes: Changes;
  systems: ClinicSystems;
  temporal: Dispatcher;
  config: { PUBLIC_URL: string };
}

/** What a clinic sets on its integrations page: staff may read it, admins may change it (decisions, section 11). */
export const integrationRoutes = (deps: IntegrationDeps): Route[] => [
  ...outboundRoutes(deps),
  ...inboundRoutes(deps),
  ...apiKeyRoutes(deps),
  ...callingPolicyRoutes(deps),
  ...approvedApiRoutes(deps),
  ...tryApprovedApiRoutes(deps),
  ...crmRoutes(deps),
  ...phoneNumberRoutes(deps),
  ...providerRoutes(deps),
];
