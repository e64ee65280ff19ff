import { Alert, Button, Grid, Group, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import * as api from '#api';
import { useAction } from '#forms';
import { IconFlask, IconPlayerPlay } from '#icons';
import { CaseLink, Empty, Loaded, Page, Section, Status, useAccount } from '#parts';
import { t, Trans } from '#texts';
import { formatDuration, Quiet, TextLink } from '#words';
import { CaseTimeline } from './case-timeline';
import classes from './try-it.module.css';

/** A recovery on the simulator, from the abandoned form to the outcome, as it happens. */
export function TryIt() {
  const { clinic } = useAccount();
  const isSimulated = clinic.voiceProvider === 'simulator';
  const [scene, setScene] = useState<api.SceneName>('agrees');
  const start = useAction(api.postTryItRecoveryMutation());
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
        <Alert color="yellow">{t`The calls of your clinic go to real phones, so scenes cannot be played here.`}</Alert>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title={t`Scene`} gap="md">
            <Scenes chosen={scene} choose={setScene} isDisabled={!isSimulated} />
            <Button
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
              disabled={!isSimulated}
              loading={start.isPending}
              onClick={() => start.mutate({ body: { scene } })}
            >
              {t`Start the scene`}
            </Button>
            <PolicyNote />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }} ref={stage} className={recoveryCaseId && classes.stage}>
          {recoveryCaseId ? (
            <Watch recoveryCaseId={recoveryCaseId} key={recoveryCaseId} />
          ) : (
            <Section title={t`What happens`}>
              <Empty title={t`Nothing has been started yet`} icon={IconFlask}>
                {t`Start a scene to see its timeline grow here, step by step.`}
              </Empty>
            </Section>
          )}
        </Grid.Col>
      </Grid>
    </Page>
  );
}

interface ScenesProps {
  chosen: api.SceneName;
  choose: (scene: api.SceneName) => void;
  isDisabled: boolean;
}

/** What the patient can do, and how the case then ends. */
const Scenes = ({ chosen, choose, isDisabled }: ScenesProps) => (
  <Loaded query={useQuery(api.getTryItScenesOptions())}>
    {({ scenes }) => (
      <Radio.Group
        aria-label={t`Scene`}
        value={chosen}
        onChange={(value) => choose(scenes.find(({ scene }) => scene === value)?.scene ?? 'agrees')}
      >
        <Stack gap={10}>
          {scenes.map(({ scene, outcome }) => (
            <Group key={scene} justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
              <Radio value={scene} label={sceneWords[scene]} disabled={isDisabled} />
              <Status state={outcome} />
            </Group>
          ))}
        </Stack>
      </Radio.Group>
    )}
  </Loaded>
);

/** What the simulator's patients do. */
const sceneWords: Record<api.SceneName, string> = {
  agrees: t`Answers, says why they stopped, agrees`,
  'wants-callback': t`Asks for a callback`,
  'finds-it-expensive': t`Finds it too expensive`,
  'asks-clinical-question': t`Asks a clinical question`,
  declines: t`Declines`,
  'never-answers': t`Never answers`,
  'answers-second-time': t`Answers at the second attempt, agrees`,
  'hangs-up': t`Hangs up without an outcome`,
  'platform-refuses': t`Agrees, after the voice platform has refused the call twice`,
};

function Watch({ recoveryCaseId }: { recoveryCaseId: string }) {
  const found = useQuery(api.getCasesByRecoveryCaseIdOptions({ path: { recoveryCaseId } }));
  return (
    <Section
      title={t`What happens`}
      actions={
        <Group gap="sm" role="status">
          {found.data && <Status state={found.data.recoveryStatus} />}
          <CaseLink id={recoveryCaseId} />
        </Group>
      }
    >
      <Loaded query={found}>{(recoveryCase) => <CaseTimeline recoveryCase={recoveryCase} />}</Loaded>
    </Section>
  );
}

/** What keeps a scene waiting, where the clinic's policy does. */
function PolicyNote() {
  const policy = useQuery(api.getIntegrationsRecoveryPolicyOptions());
  const seconds = policy.data?.firstCallDelaySeconds ?? 0;
  const isOpenAlways = Object.values(policy.data?.callingHours ?? {}).length === 7;
  if (!policy.data || (seconds < 10 && isOpenAlways)) return null;
  return (
    <Quiet>
      <Trans>
        Your <TextLink to="/clinic/calling">calling policy</TextLink> applies: the first call is made{' '}
        {seconds >= 10 ? t`after ${formatDuration(seconds * 1_000)}` : t`at once`}, inside your calling hours.
      </Trans>
    </Quiet>
  );
}
