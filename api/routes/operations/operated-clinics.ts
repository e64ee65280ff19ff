import { OperatedClinics } from '@clinic/shared/contracts/operations/operated-clinics';
import { isLate } from '@clinic/shared/domain/operations/clinic-faults';
import { routesOf } from '../../http/routes-of';
import { clinicsTemporalUrl } from '../outreach/temporal-url';

const routes = routesOf({ tag: 'Operations', access: 'operator', right: null, patientData: 'none' });

const MAX_CLINICS = 200;

/** How the service goes, for those who run it. */
export const operatedClinicRoutes = [
  routes.get('/operations/clinics', {
    summary: 'How the work of every clinic goes',
    description:
      'Counts of what is open now, the worst clinic first, and whether the parts of the service are at work. It names clinics and no patient.',
    responses: { 200: { description: 'The clinics, and the parts of the service', schema: OperatedClinics } },
    async handle(_request, { config, stores, temporal }) {
      const [stuck, duties, backlog] = await Promise.all([
        temporal.stuckByClinic(),
        stores.duties.list(),
        stores.backlog.read(),
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
            passedAt: passedAt?.toISOString() ?? null,
            isLate: isLate(name, passedAt, now),
          })),
          oldest: {
            startSeconds: backlog.undispatchedRunSeconds,
            messageSeconds: backlog.unsentMessageSeconds,
            callSeconds: backlog.dueCallSeconds,
            deliverySeconds: backlog.dueDeliverySeconds,
          },
          isEveryClinicPaused: states.isEveryClinicPaused,
          clinics: states.clinics,
          items: states.items.map((each) => ({
            ...each,
            failingSince: each.failingSince?.toISOString() ?? null,
            stuckRuns: stuck && each.stuckRuns,
            temporalUrl: clinicsTemporalUrl(config, each.clinicId),
          })),
        },
      };
    },
  }),
];
