import { OperatedClinics } from '@clinic/shared/contracts/operations/operated-clinics';
import { isLate } from '@clinic/shared/domain/operations/clinic-faults';
import { longWorkflowOf } from '@clinic/temporal/registry';
import { KEEPS_FAILING } from '@clinic/temporal/stuck-workflows';
import { routesOf } from '../../http/routes-of';
import { clinicsTemporalUrl, GOES_ON } from '../outreach/temporal-url';

const routes = routesOf({ tag: 'Operations', access: 'operator', right: null, patientData: 'none' });

const MAX_CLINICS = 200;

const ENDED_BADLY = "ExecutionStatus IN ('Failed', 'Terminated', 'TimedOut')";

const instant = (at: Date | null): string | null => at?.toISOString() ?? null;

/** How the service goes, for those who run it. */
export const operatedClinicRoutes = [
  routes.get('/operations/clinics', {
    summary: 'How the work of every clinic goes',
    description:
      'Counts of what is open now and since when, the worst clinic first, the pauses in force, and whether the parts of the service are at work. It names clinics and no patient.',
    responses: { 200: { description: 'The clinics, and the parts of the service', schema: OperatedClinics } },
    async handle(_request, { config, stores, temporal }) {
      const [stuck, duties, backlog, pauses] = await Promise.all([
        temporal.stuckByClinic(),
        stores.duties.list(),
        stores.backlog.read(),
        stores.pauses.holding(null),
      ]);
      const states = await stores.clinicStates.read({ stuck: stuck ?? new Map(), limit: MAX_CLINICS });
      const now = new Date();
      return {
        body: {
          at: now.toISOString(),
          isTemporalReachable: stuck !== null,
          duties: duties.map(({ name, isHeld, passedAt }) => ({
            name,
            isHeld,
            passedAt: instant(passedAt),
            isLate: isLate(name, passedAt, now),
          })),
          oldest: {
            startSeconds: backlog.undispatchedRunSeconds,
            messageSeconds: backlog.unsentMessageSeconds,
            callSeconds: backlog.dueCallSeconds,
            deliverySeconds: backlog.dueDeliverySeconds,
          },
          isEveryClinicPaused: states.isEveryClinicPaused,
          pauses: pauses.map(({ id, clinicId, workflowType, reason, pausedBy, pausedAt, endsAt }) => ({
            id,
            clinicId,
            workflowType,
            reason,
            isByOperator: pausedBy === 'operator',
            pausedAt: pausedAt.toISOString(),
            until: instant(endsAt),
          })),
          clinics: states.clinics,
          needALook: states.needALook,
          items: states.items.map((each) => ({
            ...each,
            stuckRuns: stuck && each.stuckRuns,
            temporalUrl: clinicsTemporalUrl(config, each.clinicId),
            temporalUrls: temporalUrlsOf(config, each.clinicId),
          })),
        },
      };
    },
  }),
];

/** Where Temporal's UI lists what a figure of a clinic is about. */
function temporalUrlsOf(config: Parameters<typeof clinicsTemporalUrl>[0], clinicId: string) {
  const deliveries = clinicsTemporalUrl(config, clinicId, `WorkflowType = 'deliverEvents' AND ${GOES_ON}`);
  return {
    stuckRuns: clinicsTemporalUrl(config, clinicId, `${KEEPS_FAILING} AND ${GOES_ON}`),
    runFaults: clinicsTemporalUrl(config, clinicId, ENDED_BADLY),
    failingEndpoints: deliveries,
    waitingDeliveries: deliveries,
    waitingErasures: clinicsTemporalUrl(
      config,
      clinicId,
      `WorkflowType = '${longWorkflowOf('erase_patient')}' AND ${GOES_ON}`,
    ),
  };
}
