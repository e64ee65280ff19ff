import {
  type InboundPath,
  inboundEvents,
  inboundPaths,
  InboundUrls,
} from '@clinic/shared/contracts/events/inbound-events';
import { AppError } from '@clinic/shared/errors';
import type { InboundSecretRecord } from '@clinic/prisma/stores/accounts/keys';
import { z } from 'zod';
import type { Deps } from '../../http/route';
import { routesOf } from '../../http/routes-of';

const routes = routesOf({ tag: 'Integrations: inbound events', access: 'clinic', right: 'keys', patientData: 'none' });

const EventPath = z.object({ event: z.string().describe(`One of ${inboundPaths.join(', ')}`) });

const unknown = { description: 'No such inbound event' };

/** The URLs that platforms push events to, and their secrets. */
export const inboundRoutes = [
  routes.get('/integrations/inbound', {
    right: 'settings.read',
    summary: "Each event's URL, and when its secret was made and last used",
    description:
      'One entry for each of the seven events. Secrets are never read back; `previousSecret` is the one that still counts while it is replaced.',
    responses: { 200: { description: 'The URLs', schema: InboundUrls } },
    async handle({ caller: { clinicId } }, { stores, config }) {
      const secrets = await stores.keys.listInbound(clinicId);
      const items = inboundPaths.map((path) => ({
        event: path,
        name: inboundEvents[path],
        url: urlOf({ config }, clinicId, path),
        ...toSecrets(secrets.filter(({ name }) => name === path)),
      }));
      return { body: { items } };
    },
  }),
  routes.post('/integrations/inbound/:event/rotate-secret', {
    stepUp: 'access',
    summary: 'Make a new secret for a URL, shown once; the old one lives on for 24 h',
    description:
      'Requests with either secret are taken until the old one ends. `event` is the end of the URL, as `forms-abandoned`, or the name, as `forms.abandoned`.',
    params: EventPath,
    isIdempotent: true,
    showsSecret: true,
    responses: { 200: { description: 'The new secret', schema: z.object({ secret: z.string() }) }, 404: unknown },
    async handle({ caller: { clinicId }, params, newSecret, by }, { stores, changes }) {
      const secret = await stores.keys.rotateInbound(clinicId, pathOf(params.event), by, newSecret);
      changes.announce({ table: 'secrets', clinicId, id: '*' });
      return { body: { secret } };
    },
  }),
  routes.delete('/integrations/inbound/:event/previous-secret', {
    stepUp: 'access',
    summary: 'Stop accepting the secret that was replaced',
    description: 'For a secret that somebody else has seen: its 24 h end at once. Repeating it is 204 too.',
    params: EventPath,
    responses: {
      204: { description: 'Retired, or there was none' },
      404: unknown,
    },
    async handle({ caller: { clinicId }, params, by }, { stores, changes }) {
      await stores.keys.retirePreviousInbound(clinicId, pathOf(params.event), by);
      changes.announce({ table: 'secrets', clinicId, id: '*' });
      return { status: 204 };
    },
  }),
];

const urlOf = ({ config }: Deps<'config'>, clinicId: string, path: InboundPath) =>
  `${config.PUBLIC_URL}/api/automation/webhook/${clinicId}/${path}`;

/** The event by the end of its URL, or by its name. */
function pathOf(event: string): InboundPath {
  const path = inboundPaths.find((each) => each === event || inboundEvents[each] === event);
  if (!path) throw new AppError('not_found', `Inbound event ${event.slice(0, 100)} not found`);
  return path;
}

function toSecrets(secrets: InboundSecretRecord[]) {
  const live = secrets.find(({ expiresAt }) => expiresAt === null);
  const previous = secrets.find(({ expiresAt }) => expiresAt !== null);
  const about = ({ createdAt, lastUsedAt }: InboundSecretRecord) => ({
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  });
  return {
    secret: live ? about(live) : null,
    previousSecret: previous?.expiresAt ? { ...about(previous), expiresAt: previous.expiresAt.toISOString() } : null,
  };
}
