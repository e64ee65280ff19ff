import { Group, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { Loaded, Section, useMay, useZone } from '#parts';
import { plural, t, Trans } from '#texts';
import { ClockTime, formatDuration, formatTime, Moment, PageLink, Small } from '#words';
import { locale } from '../../language';
import classes from './receiver-health.module.css';

type Health = api.ReceiverHealth;

const HOUR_MS = 3_600_000;

/** Asked every so often: each attempt changes it. Of the first endpoint where none is named. */
const useHealth = (endpointId?: string) =>
  useQuery({
    queryKey: ['health of the receiver', endpointId ?? 'first'],
    queryFn: async ({ signal }) => {
      const asked = { signal, throwOnError: true } as const;
      return endpointId === undefined
        ? (await api.getIntegrationsOutboundHealth(asked)).data
        : (await api.getIntegrationsOutboundEndpointsByEndpointIdHealth({ ...asked, path: { endpointId } })).data;
    },
    refetchInterval: 15_000,
  });

/** In a line, how a further endpoint does now. */
export const HealthOf = ({ endpointId }: { endpointId: string }) => (
  <Loaded query={useHealth(endpointId)} rows={1}>
    {(data) => <Now health={data} />}
  </Loaded>
);

/** How an endpoint, the first one where none is given, does now, and the attempts at it in the last 24 hours, hour by hour. */
export function ReceiverHealth({ of }: { of?: api.FurtherEndpoint }) {
  const health = useHealth(of?.id);
  const maySetUp = useMay()('settings');
  return (
    <Section
      title={of?.name ?? t`Main endpoint`}
      actions={
        maySetUp && (
          <PageLink to="/connections/outbound" py={4}>
            {t`Main endpoint`}
          </PageLink>
        )
      }
    >
      <Loaded query={health} rows={3}>
        {(data) => (
          <>
            <Now health={data} />
            {data.hours.length > 0 && <Hours hours={data.hours} />}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Now({ health }: { health: Health }) {
  const { state, failuresInARow, failingSince, pausedUntil, waiting, failed } = health;
  return (
    <Group gap="xs" wrap="nowrap">
      <span className={classes.dot} data-state={state} aria-hidden />
      <Text size="sm">
        {state === 'healthy' && health.hours.length === 0 ? t`Nothing was sent in the last 24 hours.` : states[state]}
        {state === 'failing' && (
          <>
            {' '}
            {plural(failuresInARow, { one: 'The last attempt failed', other: 'The last # attempts failed' })}
            {failingSince && (
              <Trans>
                , the first <Moment at={failingSince} />
              </Trans>
            )}
            .
            {pausedUntil && (
              <>
                {' '}
                <Trans>
                  The next try is <ClockTime at={pausedUntil} withSeconds />.
                </Trans>
              </>
            )}
          </>
        )}{' '}
        <Trans>
          {waiting === 0 ? t`Nothing waits` : t`${atMost(waiting)} to be sent`},{' '}
          {failed === 0 ? t`none` : atMost(failed)} given up.
        </Trans>
      </Text>
    </Group>
  );
}

/** Counted up to a thousand. */
const atMost = (count: number) => (count >= 1_000 ? t`1,000 or more` : count.toLocaleString(locale));

const states: Record<Health['state'], string> = {
  unset: t`No URL is registered: nothing is sent.`,
  off: t`It is switched off: nothing is sent.`,
  healthy: t`It accepts events.`,
  failing: t`Events are failing.`,
};

function Hours({ hours }: { hours: Health['hours'] }) {
  const zone = useZone();
  const last = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const shown = Array.from({ length: 24 }, (_, index) => {
    const from = new Date(last - (23 - index) * HOUR_MS).toISOString();
    const found = hours.find((hour) => Date.parse(hour.from) === Date.parse(from));
    return found ?? { from, delivered: 0, failed: 0, slowestMs: null };
  });
  const most = Math.max(1, ...shown.map(({ delivered, failed }) => delivered + failed));
  const sum = (field: 'delivered' | 'failed') => shown.reduce((total, hour) => total + hour[field], 0);
  return (
    <>
      <ol className={classes.hours} aria-label={t`Attempts of the last 24 hours, by hour`}>
        {shown.map((hour) => {
          const text = inWords(hour, zone);
          return (
            <li key={hour.from} className={classes.hour} title={text}>
              <VisuallyHidden component="span">{text}</VisuallyHidden>
              <span className={classes.failed} style={{ height: `${(100 * hour.failed) / most}%` }} aria-hidden />
              <span className={classes.delivered} style={{ height: `${(100 * hour.delivered) / most}%` }} aria-hidden />
            </li>
          );
        })}
      </ol>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs" mt={4}>
        <Small>{t`${formatTime(shown[0]?.from ?? '', zone)} yesterday`}</Small>
        <Small ta="center">
          <Trans>
            <span className={classes.swatch} data-kind="delivered" aria-hidden />{' '}
            {sum('delivered').toLocaleString(locale)} delivered{' '}
            <span className={classes.swatch} data-kind="failed" aria-hidden /> {sum('failed').toLocaleString(locale)}{' '}
            failed attempts
          </Trans>
        </Small>
        <Small>{t`now`}</Small>
      </Group>
    </>
  );
}

function inWords({ from, delivered, failed, slowestMs }: Health['hours'][number], zone: string): string {
  const slowest = slowestMs === null ? '' : t`, the slowest took ${formatDuration(slowestMs)}`;
  return t`From ${formatTime(from, zone)}: ${delivered} delivered, ${failed} failed${slowest}`;
}
