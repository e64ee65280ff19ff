import { NavLink as Item, Select } from '@mantine/core';
import { Link, Outlet, useLocation, useNavigate } from 'react-router';
import { useIsNarrow } from '#lists';
import { AdminNote, Page } from '#parts';
import { t } from '#texts';
import classes from './settings-layout.module.css';

interface AreasProps {
  /** Of which the areas' addresses are below. */
  at: string;
  title: string;
  lead: string;
  areas: readonly { area: string; label: string }[];
}

/** Settings by area: the areas on the left, one of them on the right. */
export function Areas({ at, title, lead, areas }: AreasProps) {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  const places = areas.map(({ area, label }) => ({ to: `${at}/${area}`, label }));
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
          <AdminNote />
          <Outlet />
        </div>
      </div>
    </Page>
  );
}
