import { NavLink as Item, Select } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link, Outlet, useLocation, useNavigate } from 'react-router';
import { AdminNote } from '../../parts/admin';
import { Page } from '../../parts/page';
import classes from './layout.module.css';

const areas = [
  { to: '/integrations/sandbox', label: 'Sandbox' },
  { to: '/integrations/api-keys', label: 'API keys' },
  { to: '/integrations/inbound', label: 'Inbound events' },
  { to: '/integrations/outbound', label: 'Outbound events' },
  { to: '/integrations/approved-api', label: 'Your API' },
  { to: '/integrations/crm', label: 'CRM' },
  { to: '/integrations/voice', label: 'Voice' },
  { to: '/integrations/calling', label: 'Calling policy' },
  { to: '/integrations/opt-outs', label: 'Opt-outs' },
  { to: '/integrations/providers', label: 'Providers' },
  { to: '/integrations/phone-numbers', label: 'Phone numbers' },
  { to: '/integrations/people', label: 'People' },
  { to: '/integrations/retention', label: 'What is kept' },
];

/** Where a clinic connects its systems: areas on the left, one of them on the right. */
export function Integrations() {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const isNarrow = useMediaQuery('(max-width: 61.99em)', undefined, { getInitialValueInEffect: false });
  const here = areas.find(({ to }) => to === pathname) ?? areas[0];
  return (
    <Page title="Integrations" detail={here?.label} lead="How your systems and this service reach each other.">
      <div className={classes.split}>
        {isNarrow ? (
          <Select
            label="Area"
            data={areas.map(({ to, label }) => ({ value: to, label }))}
            value={here?.to ?? null}
            onChange={(to) => to && void navigate(to)}
          />
        ) : (
          <nav aria-label="Integration areas" className={classes.areas}>
            {areas.map(({ to, label }) => (
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
