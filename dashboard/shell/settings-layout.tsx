import { NavLink as Item, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { Link, Navigate, Outlet, useLocation, useNavigate } from 'react-router';
import * as api from '#api';
import { useIsNarrow } from '#lists';
import { LoadingPage, Page, useMay } from '#parts';
import { plural, t } from '#texts';
import { NotForRole } from './allowed';
import type { Area } from './navigation';
import classes from './settings-layout.module.css';

interface AreasProps {
  /** Of which the areas' addresses are below. */
  at: string;
  title: string;
  lead: string;
  areas: readonly Area[];
}

/** Settings by area: the areas on the left, one of them on the right. */
export function Areas({ at, title, lead, areas }: AreasProps) {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const may = useMay();
  const found = useQuery({ ...api.getIntegrationsAreasOptions(), enabled: may('settings.read') });
  const all = areas.map(({ area, label, right }) => ({
    to: `${at}/${area}`,
    label,
    isOpen: may(right),
    state: stateOf(found.data?.items.find((each) => each.area === area)),
  }));
  const places = all.filter(({ isOpen }) => isOpen);
  const here = places.find(({ to }) => to === pathname);
  return (
    <Page title={title} detail={here?.label} lead={lead}>
      <div className={classes.split}>
        {isNarrow ? (
          <NativeSelect
            label={t`Area`}
            data={[
              ...(here ? [] : [{ value: '', label: t`Choose` }]),
              ...places.map(({ to, label, state }) => ({ value: to, label: state ? t`${label}: ${state}` : label })),
            ]}
            value={here?.to ?? ''}
            onChange={({ currentTarget }) => void navigate(currentTarget.value)}
          />
        ) : (
          <nav aria-label={t`Areas of ${title}`} className={classes.areas}>
            {places.map(({ to, label, state }) => (
              <Item
                key={to}
                component={Link}
                to={to}
                label={label}
                // Where it is not known yet, its line is kept.
                description={state ?? '\u00a0'}
                active={to === pathname}
                aria-current={to === pathname ? 'page' : undefined}
                className={classes.area}
              />
            ))}
          </nav>
        )}
        <div className={classes.content}>
          {here ? (
            <Suspense fallback={<LoadingPage />}>
              <Outlet />
            </Suspense>
          ) : (
            <Elsewhere isArea={all.some(({ to }) => to === pathname)} first={places[0]?.to} />
          )}
        </div>
      </div>
    </Page>
  );
}

type AreaState = api.SettingsAreas['items'][number];

const states: Record<AreaState['state'], string> = {
  on: t({ message: 'on', context: 'an area of the settings' }),
  off: t({ message: 'off', context: 'an area of the settings' }),
  not_set_up: t`not set up`,
  needs_a_look: t`needs a look`,
  paused: t({ message: 'paused', context: 'an area of the settings' }),
  simulated: t({ message: 'simulated', context: 'an area of the settings' }),
};

/** What an area counts, in one word. */
const counts: Partial<Record<AreaState['area'], (count: number) => string>> = {
  hours: (count) => plural(count, { 0: 'no closed days', one: '# closed day', other: '# closed days' }),
  providers: (count) => plural(count, { one: '# provider', other: '# providers' }),
  'opt-outs': (count) => plural(count, { 0: 'nobody', one: '# number', other: '# numbers' }),
  people: (count) => plural(count, { one: '# account', other: '# accounts' }),
  'api-keys': (count) => plural(count, { one: '# key', other: '# keys' }),
  inbound: (count) => plural(count, { one: '# secret', other: '# secrets' }),
  'phone-numbers': (count) => plural(count, { one: '# number', other: '# numbers' }),
};

function stateOf(found: AreaState | undefined): string | null {
  if (!found) return null;
  const { area, state, count } = found;
  return (state === 'on' && count !== null && counts[area]?.(count)) || states[state];
}

/** An area that the role does not open, or no area at all. */
const Elsewhere = ({ isArea, first }: { isArea: boolean; first: string | undefined }) =>
  isArea || first === undefined ? <NotForRole /> : <Navigate to={first} replace />;
