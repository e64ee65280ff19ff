import type { ReactNode } from 'react';
import type * as api from '#api';
import { Line, Mark } from '#parts';
import { t, Trans } from '#texts';
import { Moment } from '#words';

/** An open session: where it is, and when a person last used it. */
export function SessionLine({ session, action }: { session: api.AccountSession; action?: ReactNode }) {
  const { isCurrent, createdAt, usedAt, address, userAgent } = session;
  return (
    <Line
      name={browserOf(userAgent)}
      marks={isCurrent && <Mark variant="outline">{t`This one`}</Mark>}
      actions={action}
    >
      <Trans>
        {address ?? t`address unknown`} · used <Moment at={usedAt} /> · signed in <Moment at={createdAt} />
      </Trans>
    </Line>
  );
}

/** Enough to recognise one's own: `Chrome on Windows`. */
export function browserOf(userAgent: string | null): string {
  if (!userAgent) return t`A program`;
  const name = ['Firefox', 'Edg', 'Chrome', 'Safari'].find((each) => userAgent.includes(`${each}/`));
  const system = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'].find((each) => userAgent.includes(each));
  if (!name) return userAgent.slice(0, 60);
  const browser = name === 'Edg' ? 'Edge' : name;
  return system ? t`${browser} on ${system}` : browser;
}
