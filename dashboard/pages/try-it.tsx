import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Button, Grid, Group, Radio, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  getCasesByRecoveryCaseIdOptions,
  getIntegrationsRecoveryPolicyOptions,
  getTryItScenesOptions,
  postTryItRecoveryMutation,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconFlask, IconPlayerPlay } from '../icons';
import { CaseTimeline } from '../parts/case-timeline';
import { formatDuration } from '../parts/moment';
import { servicesSentence } from '../parts/code-words';
import { Page } from '../parts/page';
import { sayFailed } from '../parts/say';
import { Section } from '../parts/section';
import { Empty, Loaded } from '../parts/states';
import { Status } from '../parts/status';
import { useAccount } from '../shell/account';
import classes from './try-it.module.css';

/** A recovery on the simulator, from the abandoned form to the outcome, as it happens. */
export function TryIt() {
  const { clinic } = useAccount();
  const isSimulated = clinic.voiceProvider === 'simulator';
  const [scene, setScene] = useState<Api.SceneName>('agrees');
  const start = useMutation({ ...postTryItRecoveryMutation(), onError: sayFailed });
  const stage = useRef<HTMLDivElement>(null);
  const recoveryCaseId = start.data?.recoveryCaseId;
  // On a phone the timeline stands below the scenes.
  useEffect(() => {
    if (recoveryCaseId) stage.current?.scrollIntoView({ block: 'nearest' });
  }, [recoveryCaseId]);
  return (
    <Page
      title={t`Try it`}
      lead={t`Choose what the patient does. A form is abandoned, the simulator plays the call, and everything runs as it would for a real one. Nobody’s phone rings.`}
    >
      {!isSimulated && (
        <Alert color="yellow">
          <Trans>The calls of your clinic go to real phones, so scenes cannot be played here.</Trans>
        </Alert>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title={t`Scene`}>
            <Stack>
              <Scenes chosen={scene} choose={setScene} isDisabled={!isSimulated} />
              <Button
                leftSection={<IconPlayerPlay size={16} aria-hidden />}
                disabled={!isSimulated}
                loading={start.isPending}
                onClick={() => start.mutate({ body: { scene } })}
              >
                <Trans>Start the scene</Trans>
              </Button>
              <PolicyNote />
            </Stack>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }} ref={stage} className={recoveryCaseId && classes.stage}>
          {recoveryCaseId ? (
            <Watch recoveryCaseId={recoveryCaseId} key={recoveryCaseId} />
          ) : (
            <Section title={t`What happens`}>
              <Empty title={t`Nothing has been started yet`} icon={IconFlask}>
                <Trans>Start a scene to see its timeline grow here, step by step.</Trans>
              </Empty>
            </Section>
          )}
        </Grid.Col>
      </Grid>
    </Page>
  );
}

/** What the patient can do, and how the case then ends. */
function Scenes({
  chosen,
  choose,
  isDisabled,
}: {
  chosen: Api.SceneName;
  choose: (scene: Api.SceneName) => void;
  isDisabled: boolean;
}) {
  const found = useQuery(getTryItScenesOptions());
  return (
    <Loaded query={found}>
      {({ scenes }) => (
        <Radio.Group
          aria-label={t`Scene`}
          value={chosen}
          onChange={(value) => choose(scenes.find(({ scene }) => scene === value)?.scene ?? 'agrees')}
        >
          <Stack gap={10}>
            {scenes.map(({ scene, patient, outcome }) => (
              <Group key={scene} justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
                <Radio value={scene} label={servicesSentence(sentence(patient))} disabled={isDisabled} />
                <Status state={outcome} />
              </Group>
            ))}
          </Stack>
        </Radio.Group>
      )}
    </Loaded>
  );
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

function Watch({ recoveryCaseId }: { recoveryCaseId: string }) {
  const found = useQuery(getCasesByRecoveryCaseIdOptions({ path: { recoveryCaseId } }));
  return (
    <Section
      title={t`What happens`}
      actions={
        <Group gap="sm" role="status">
          {found.data && <Status state={found.data.recoveryStatus} />}
          <Anchor component={Link} to={`/cases/${recoveryCaseId}`} size="sm">
            <Trans>Show the case</Trans>
          </Anchor>
        </Group>
      }
    >
      <Loaded query={found}>{(recoveryCase) => <CaseTimeline recoveryCase={recoveryCase} />}</Loaded>
    </Section>
  );
}

/** What keeps a scene waiting, where the clinic's policy does. */
function PolicyNote() {
  const policy = useQuery(getIntegrationsRecoveryPolicyOptions());
  const seconds = policy.data?.firstCallDelaySeconds ?? 0;
  const isOpenAlways = Object.values(policy.data?.callingHours ?? {}).length === 7;
  if (!policy.data || (seconds < 10 && isOpenAlways)) return null;
  return (
    <Text size="sm" c="dimmed">
      <Trans>
        Your{' '}
        <Anchor component={Link} to="/clinic/calling" inherit underline="always">
          calling policy
        </Anchor>{' '}
        applies: the first call is made {seconds >= 10 ? t`after ${formatDuration(seconds * 1_000)}` : t`at once`},
        inside your calling hours.
      </Trans>
    </Text>
  );
}
