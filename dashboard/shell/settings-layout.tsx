import { NavLink as Item, Select } from '@mantine/core';
import { Suspense } from 'react';
import { Link, Navigate, Outlet, useLocation, useNavigate } from 'react-router';
import { useIsNarrow } from '#lists';
import { LoadingPage, Page, useMay } from '#parts';
import { t } from '#texts';
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
  const all = areas.map(({ area, label, right }) => ({ to: `${at}/${area}`, label, isOpen: may(right) }));
  const places = all.filter(({ isOpen }) => isOpen);
  const here = places.find(({ to }) => to === pathname);
  return (
    <Page title={title} detail={here?.label} lead={lead}>
      <div className={classes.split}>
        {isNarrow ? (
          <Select
            label={t`Area`}
            data={places.map(({ to, label }) => ({ value: to, label }))}
            value={here?.to ?? null}
            onChange={(to) => to && void navigate(to)}
          />
        ) : (
          <nav aria-label={t`Areas of ${title}`} className={classes.areas}>
            {places.map(({ to, label }) => (
              <Item
                key={to}
                component={Link}
                to={to}
                label={label}
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

/** An area that the role does not open, or no area at all. */
const Elsewhere = ({ isArea, first }: { isArea: boolean; first: string | undefined }) =>
  isArea || first === undefined ? <NotForRole /> : <Navigate to={first} replace />;
