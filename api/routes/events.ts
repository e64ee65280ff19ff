import type { Route } from '../http/route';
import { webhookRoutes } from './events/webhooks';
import { inboundRoutes } from './events/inbound';
import { deliveryRoutes } from './events/deliveries';
import { endpointRoutes } from './events/endpoints';
import { approvedApiRoutes } from './events/approved-api';
import { tryApprovedApiRoutes } from './events/try-approved-api';
import { crmRoutes } from './events/crm';

/** What platforms tell us, what receivers are told, and the systems of a clinic that we ask. */
export const eventsRoutes: Route[] = [
  ...webhookRoutes,
  ...inboundRoutes,
  ...deliveryRoutes,
  ...endpointRoutes,
  ...approvedApiRoutes,
  ...tryApprovedApiRoutes,
  ...crmRoutes,
];
