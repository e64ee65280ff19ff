import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getOverviewSetUpOptions } from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconCheck } from '../icons';
import { useAccount, useIsAdmin } from '../shell/account';
import classes from './getting-started.module.css';
import { Section } from './section';

type Step = Api.SetUp['steps'][number]['step'];

const steps: Record<Step, { to: string; label: string; what: string }> = {
  'outbound-url': {
    to: '/connections/outbound',
    label: t`Register your outbound URL`,
    what: t`where outcomes are sent`,
  },
  'inbound-secret': {
    to: '/connections/inbound',
    label: t`Make the secret of an inbound URL`,
    what: t`with which your platform reports abandoned forms`,
  },
  'test-event': {
    to: '/connections/outbound',
    label: t`Send a test event`,
    what: t`and see that your endpoint verifies and takes it`,
  },
  'first-case': { to: '/try-it', label: t`Open the first case`, what: t`from your platform, or as a scene on Try it` },
  voice: { to: '/connections/voice', label: t`Connect voice`, what: t`until then the simulator plays the calls` },
};

/** For administrators of a new clinic: what is still to be set up. Each step ticks itself off, and all of it goes when nothing is left. */
export function GettingStarted() {
  const { clinic } = useAccount();
  const isAdmin = useIsAdmin();
  const [isHidden, setIsHidden] = useLocalStorage({
    key: `getting-started-hidden-${clinic.id}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const { data } = useQuery({ ...getOverviewSetUpOptions(), enabled: isAdmin && !isHidden });
  if (!isAdmin || isHidden || !data || data.steps.every(({ isDone }) => isDone)) return null;
  const done = data.steps.filter(({ isDone }) => isDone).length;
  return (
    <Section
      title={t`Getting started`}
      lead={t`${done} of ${data.steps.length} done`}
      actions={
        <Group gap="md">
          <Anchor href="/api/docs" target="_blank" rel="noreferrer" size="sm" py={4}>
            <Trans>API reference</Trans>
          </Anchor>
          <Button size="compact-sm" variant="subtle" onClick={() => setIsHidden(true)}>
            <Trans>Hide this list</Trans>
          </Button>
        </Group>
      }
    >
      <ol className={classes.steps}>
        {data.steps.map(({ step, isDone }, index) => {
          const { to, label, what } = steps[step];
          return (
            <li key={step} className={classes.step} data-done={isDone || undefined}>
              <span className={classes.mark} aria-hidden>
                {isDone ? <IconCheck size={14} /> : index + 1}
              </span>
              <Text size="sm">
                <Anchor component={Link} to={to} inherit underline="always">
                  {label}
                </Anchor>
                , {what}
                {isDone && (
                  <span className={classes.done}>
                    {' '}
                    <Trans>Done</Trans>
                  </span>
                )}
              </Text>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
