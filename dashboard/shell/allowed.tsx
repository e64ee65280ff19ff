import { Outlet } from 'react-router';
import { Empty, Page, type Right, roleNames, useAccount, useMay } from '#parts';
import { IconLock } from '#icons';
import { t } from '#texts';

/** The pages below are for those whose role has the right; others are told so. */
export const For = ({ right }: { right: Right }) => (useMay()(right) ? <Outlet /> : <NotForThem />);

/** The pages below are for those who run the service. */
export const ForOperators = () => (useAccount().role === 'operator' ? <Outlet /> : <NotForThem />);

export const NotForThem = () => (
  <Page title={t`Not for your role`}>
    <NotForRole />
  </Page>
);

export function NotForRole() {
  const { role } = useAccount();
  return (
    <Empty title={t`Your role does not open this page`} icon={IconLock}>
      {t`You are signed in as: ${roleNames[role]}. An administrator of your clinic can give you another role.`}
    </Empty>
  );
}
