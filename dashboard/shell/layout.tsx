import {
  Anchor,
  Badge,
  Box,
  Burger,
  Center,
  Group,
  Menu,
  NavLink,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
  VisuallyHidden,
} from '@mantine/core';
import { useDisclosure, useNetwork } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { memo, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Link, Outlet, useLocation } from 'react-router';
import * as api from '#api';
import { AskBeforeLeaving } from '#forms';
import { session } from '#http';
import { IconChevronDown, IconDots, IconLogout, IconUser } from '#icons';
import {
  AccountProvider,
  Boundary,
  LoadingPage,
  onDemand,
  PlainButton,
  Problem,
  roleNames,
  type SignedIn,
  useAccount,
  useMay,
} from '#parts';
import { t, Trans } from '#texts';
import { Small, zoneName } from '#words';
import { type LiveState, useLiveUpdates } from '../http/live';
import { followClinic, ownLanguage } from '../language';
import { Brand } from './brand';
import { ColorScheme } from './color-scheme';
import { Finder } from './finder';
import { LanguageChoice } from './language-choice';
import classes from './layout.module.css';
import { type Destination, navigationFor } from './navigation';
import { Pauses } from './pauses';
import { Shortcuts } from './shortcuts';
import { StepUp } from './step-up';
import { TaskNotices } from './task-notices';

const SetUpSecondFactor = onDemand(
  async () => (await import('../pages/accounts/set-up-second-factor')).SetUpSecondFactor,
);

/** What stands around every page: where one can go, who is signed in, whether what is shown is live. */
export function Layout() {
  const account = useQuery({ ...api.getAuthSessionOptions(), staleTime: 60_000 });
  const queries = useQueryClient();
  const { language, country } = account.data?.clinic ?? {};
  useEffect(() => {
    if (language && country !== undefined) followClinic({ language, country });
  }, [language, country]);
  const [isSettingUp, setIsSettingUp] = useState(false);
  const goOn = async () => {
    await account.refetch();
    setIsSettingUp(false);
    // What was refused meanwhile.
    await queries.resetQueries({ predicate: ({ state }) => state.status === 'error' });
  };
  if (!account.data) {
    return account.error ? (
      <WithoutService error={account.error} onRetry={() => void account.refetch()} />
    ) : (
      <LoadingPage />
    );
  }
  const { clinic, ...person } = account.data;
  if (!clinic && person.role === 'operator') return <ForAllClinics person={person} />;
  if (!clinic) return <WithoutClinic email={person.email} />;
  // Until it is all done: the backup codes are shown when the account has its second factor already.
  if (person.needsSecondFactor && !isSettingUp) setIsSettingUp(true);
  if (isSettingUp) {
    return (
      <AccountProvider account={{ ...person, clinic }}>
        <StepUp />
        <Suspense fallback={<LoadingPage />}>
          <SetUpSecondFactor clinic={clinic.name} signOut={() => void signOut()} onSet={() => void goOn()} />
        </Suspense>
      </AccountProvider>
    );
  }
  return <InFrame account={{ ...person, clinic }} />;
}

/** The same for an operator, whose clinic is none: times are shown as on their own clock. */
function ForAllClinics({ person }: { person: Omit<SignedIn, 'clinic'> }) {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const language = ownLanguage() ?? ('en' as const);
  const clinic = {
    id: '',
    name: t`All clinics`,
    timezone,
    country: '',
    currency: 'USD',
    isMonthFirst: false,
    voiceProvider: '',
    language,
  };
  return <InFrame account={{ ...person, clinic }} />;
}

const InFrame = ({ account }: { account: SignedIn }) => (
  <AccountProvider account={account}>
    <Frame account={account}>
      <Outlet />
    </Frame>
  </AccountProvider>
);

/** It does not know which page is shown: what stands around one is not drawn again for another. */
function Frame({ account, children }: { account: SignedIn; children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const shortcuts = useDisclosure(false);
  const may = useMay();

  return (
    <div className={classes.frame}>
      {may('tasks') && <TaskNotices />}
      <StepUp />
      <AskBeforeLeaving />
      <a href="#content" className={classes.skip}>
        {t`Skip to the content`}
      </a>
      <header className={classes.header}>
        <Group h="100%" px="md" gap="xs" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? t`Close the navigation` : t`Open the navigation`}
              aria-expanded={isOpen}
              aria-controls="navigation"
            />
            <Brand />
          </Group>
          <Group wrap="nowrap" className={classes.tools}>
            {may('patients.read') && <Finder onShortcuts={shortcuts[1].open} />}
            <Shortcuts disclosure={shortcuts} />
            {may('dashboard') && <Live />}
            <ColorScheme />
            <Person account={account} />
          </Group>
        </Group>
      </header>
      <nav id="navigation" className={classes.navbar} data-open={isOpen || undefined} aria-label={t`Pages`}>
        <Navigation onMoved={close} />
        <Small px="sm" mt="auto" pt="md">
          <Anchor href="/api/docs" target="_blank" rel="noreferrer" inherit>
            {t`API reference`}
          </Anchor>
          <br />
          {account.clinic.name}
          <br />
          {zoneName(account.clinic.timezone)}
        </Small>
      </nav>
      <main id="content" tabIndex={-1} className={classes.main}>
        <div className={classes.content}>
          {may('workflows') && <Pauses />}
          <Content>{children}</Content>
        </div>
      </main>
    </div>
  );
}

function Content({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  return (
    <Boundary at={pathname}>
      <Suspense fallback={<LoadingPage />}>{children}</Suspense>
    </Boundary>
  );
}

function Navigation({ onMoved }: { onMoved: () => void }) {
  const { role } = useAccount();
  const { pathname } = useLocation();
  const may = useMay();
  useEffect(onMoved, [pathname, onMoved]);
  const overview = useQuery({ ...api.getOverviewOptions(), refetchInterval: 60_000, enabled: may('workflows') });
  const openTasks = overview.data?.tasks.open ?? 0;
  const { groups, more } = navigationFor(role, may);
  const isHere = more.some(({ to }) => isWithin(pathname, to));
  const link = (destination: Destination) => (
    <PageNavLink
      key={destination.to}
      {...destination}
      isHere={isWithin(pathname, destination.to)}
      open={destination.to === '/tasks' ? openTasks : 0}
    />
  );
  return (
    <Stack gap="md">
      {groups.map(({ title, items }) => (
        <div key={title ?? ''} role="group" aria-label={title}>
          {title && (
            <Small fw={500} px="sm" mb={4}>
              {title}
            </Small>
          )}
          {items.map(link)}
        </div>
      ))}
      {more.length > 0 && <MorePages isHere={isHere}>{more.map(link)}</MorePages>}
    </Stack>
  );
}

/** Pages that are needed now and then: folded, unless one of them is shown. */
function MorePages({ isHere, children }: { isHere: boolean; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(isHere);
  useEffect(() => setIsOpen(isHere), [isHere]);
  return (
    <NavLink
      component="button"
      type="button"
      label={t`More pages`}
      leftSection={<IconDots size={18} strokeWidth={1.6} aria-hidden />}
      className={classes.link}
      childrenOffset={0}
      opened={isOpen}
      onChange={setIsOpen}
      aria-expanded={isOpen}
    >
      {children}
    </NavLink>
  );
}

const isWithin = (pathname: string, to: string) => pathname === to || (to !== '/' && pathname.startsWith(`${to}/`));

/** `open`: how much waits there. */
const PageNavLink = memo(
  ({ to, label, icon: Symbol, isHere, open }: Destination & { isHere: boolean; open: number }) => (
    <NavLink
      component={Link}
      to={to}
      label={label}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      leftSection={<Symbol size={18} strokeWidth={1.6} aria-hidden />}
      rightSection={
        open > 0 ? (
          <Badge size="sm" color="yellow" aria-label={t`${open} open`}>
            {open}
          </Badge>
        ) : null
      }
      className={classes.link}
    />
  ),
);

const liveWords: Record<LiveState, { label: string; why: string }> = {
  connecting: { label: t`Connecting`, why: t`Connecting to live updates` },
  live: { label: t({ message: 'Live', context: 'the connection' }), why: t`Changes appear by themselves` },
  offline: { label: t`Reconnecting`, why: t`The connection was lost; what you see may be out of date` },
};

const offlineWords = {
  label: t`Offline`,
  why: t`There is no connection: nothing is saved, and what you see may be out of date`,
};

function Live() {
  const state = useLiveUpdates();
  const { online } = useNetwork();
  const { label, why } = online ? liveWords[state] : offlineWords;
  return (
    <Tooltip label={why}>
      <div
        className={classes.live}
        data-state={online ? state : 'offline'}
        role="status"
        aria-label={`${label}: ${why}`}
      >
        <span className={classes.dot} aria-hidden />
        <Text size="sm" visibleFrom="xs" aria-hidden>
          {label}
        </Text>
      </div>
    </Tooltip>
  );
}

const Person = ({ account }: { account: Pick<SignedIn, 'name' | 'email' | 'role'> }) => (
  <Menu position="bottom-end" width={240}>
    <Menu.Target>
      <UnstyledButton className={classes.person} aria-label={t`${account.name}: account menu`}>
        <Group gap={6} visibleFrom="md">
          <Text size="sm">{account.name}</Text>
          <IconChevronDown size={16} aria-hidden />
        </Group>
        <Box hiddenFrom="md" className={classes.symbol}>
          <IconUser size={18} aria-hidden />
        </Box>
      </UnstyledButton>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Label className={classes.who}>
        <Text size="sm" fw={500} c="var(--mantine-color-text)" component="span">
          {account.name}
        </Text>
        <span>{account.email}</span>
        <span>{roleNames[account.role]}</span>
      </Menu.Label>
      <Menu.Divider />
      <Menu.Item component={Link} to="/my-account" leftSection={<IconUser size={16} aria-hidden />}>
        {t`My account`}
      </Menu.Item>
      <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
        {t`Sign out`}
      </Menu.Item>
      <Menu.Divider />
      <LanguageChoice />
    </Menu.Dropdown>
  </Menu>
);

/** The token is given up here even when the service cannot be told. */
async function signOut(): Promise<void> {
  const token = session.token();
  session.close('signed-out');
  await api.postAuthSignOut({ headers: { authorization: `Bearer ${token}` } });
}

const WithoutService = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => (
  <Alone>
    <VisuallyHidden component="h1">{t`Clinic workflows`}</VisuallyHidden>
    <Problem error={error} onRetry={onRetry} />
  </Alone>
);

function WithoutClinic({ email }: { email: string }) {
  useEffect(() => {
    document.title = t`No clinic · Clinic workflows`;
  }, []);
  return (
    <Alone>
      <div>
        <Text component="h1" fw={600} fz="xl">
          {t`No clinic is linked to this account`}
        </Text>
        <Text c="dimmed" mt={4}>
          <Trans>
            You are signed in as {email}. Ask an administrator of your clinic to link your account, then sign in again.
          </Trans>
        </Text>
      </div>
    </Alone>
  );
}

/** A page without the navigation, which leads nowhere now: what is the matter, and the way out. */
const Alone = ({ children }: { children: ReactNode }) => (
  <Center component="main" mih="100dvh" p="md">
    <Stack maw={440} gap="md">
      <Brand />
      {children}
      <Group>
        <PlainButton label={t`Sign out`} onClick={() => void signOut()} />
      </Group>
    </Stack>
  </Center>
);
