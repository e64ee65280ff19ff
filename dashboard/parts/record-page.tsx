import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation } from 'react-router';
import { Page } from './page';
import classes from './record-page.module.css';
import { type Asked, broughtBy, Loaded } from './states';
import { Viewers, Watched } from './viewers';

interface RecordPageProps<Data> {
  query: Asked<Data>;
  /** What stands as its title until it is there. */
  kind: string;
  title: (data: Data) => string;
  /** The id under which others see who has it open; left out where nobody does. */
  watched?: (data: Data) => string;
  back: { to: string; label: string };
  lead?: (data: Data) => ReactNode;
  actions?: (data: Data) => ReactNode;
  /** Beside the rest of it, or below on a narrow screen. */
  side?: (data: Data) => ReactNode;
  children: (data: Data) => ReactNode;
}

/** The page of one record: what it is called, who else has it open, what can be done with it, and all that is known of it. */
export function RecordPage<Data>({
  query,
  kind,
  title,
  watched,
  back,
  lead,
  actions,
  side,
  children,
}: RecordPageProps<Data>) {
  const data = broughtBy(query);
  const { pathname } = useLocation();
  return (
    // What was typed about one record is not for the next one, which may be there at once.
    <Watched key={pathname} recordId={data && watched?.(data)}>
      <Page
        title={data === undefined ? kind : title(data)}
        beside={<Viewers />}
        lead={data !== undefined && lead?.(data)}
        back={back}
        actions={data !== undefined && actions?.(data)}
      >
        <Loaded query={query} rows={8}>
          {(found) => (
            <div className={classes.record} data-beside={side !== undefined || undefined}>
              <Stack gap="lg">{children(found)}</Stack>
              {side && <Stack gap="lg">{side(found)}</Stack>}
            </div>
          )}
        </Loaded>
      </Page>
    </Watched>
  );
}
