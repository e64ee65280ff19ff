import { Button, Group, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { IconCheck } from '#icons';
import { Section, useAccount, useMay } from '#parts';
import { t } from '#texts';
import { OutsideLink, TextLink } from '#words';
import classes from './getting-started.module.css';

type Step = api.SetUp['steps'][number]['step'];

const steps: Record<Step, { to: string; label: string; what: string }> = {
  'outbound-url': {
    to: '/connections/outbound',
    label: t`Register your endpoint`,
    what: t`where outcomes are sent`,
  },
  'inbound-secret': {
    to: '/connections/inbound',
    label: t`Create the secret of an inbound URL`,
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
  const maySetUp = useMay()('settings');
  const [isHidden, setIsHidden] = useLocalStorage({
    key: `getting-started-hidden-${clinic.id}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const { data } = useQuery({ ...api.getOverviewSetUpOptions(), enabled: maySetUp && !isHidden });
  if (!maySetUp || isHidden || !data || data.steps.every(({ isDone }) => isDone)) return null;
  const done = data.steps.filter(({ isDone }) => isDone).length;
  return (
    <Section
      title={t`Getting started`}
      lead={t`${done} of ${data.steps.length} done`}
      actions={
        <Group gap="md">
          <OutsideLink href="/api/docs" py={4}>
            {t`API reference`}
          </OutsideLink>
          <Button size="compact-sm" variant="subtle" onClick={() => setIsHidden(true)}>
            {t`Hide this list`}
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
                <TextLink to={to}>{label}</TextLink>, {what}
                {isDone && <span className={classes.done}> {t`Done`}</span>}
              </Text>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
