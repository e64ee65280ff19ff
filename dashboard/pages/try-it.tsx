import { Alert, Anchor, Button, Grid, Group, Radio, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  getCasesByRecoveryCaseIdOptions,
  getIntegrationsRecoveryPolicyOptions,
  postTryItRecoveryMutation,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconFlask, IconPlayerPlay } from '../icons';
import { CaseTimeline } from '../parts/case-timeline';
import { formatDuration } from '../parts/moment';
import { Page } from '../parts/page';
import { sayFailed } from '../parts/say';
import { Section } from '../parts/section';
import { Empty, Loaded } from '../parts/states';
import { Status } from '../parts/status';
import { useAccount } from '../shell/account';
import classes from './try-it.module.css';

type Scene = Api.PostTryItRecoveryData['body']['scene'];

const scenes: { value: Scene; label: string; ends: Api.CaseState }[] = [
  { value: 'agrees', label: 'Answers, says why they stopped, agrees', ends: 'RECOVERED' },
  { value: 'wants-callback', label: 'Asks for a callback', ends: 'FOLLOW_UP_REQUIRED' },
  { value: 'finds-it-expensive', label: 'Finds it too expensive', ends: 'PRICING_ESCALATION' },
  { value: 'asks-clinical-question', label: 'Asks a clinical question', ends: 'CLINICAL_ESCALATION' },
  { value: 'declines', label: 'Declines', ends: 'PATIENT_NOT_INTERESTED' },
  { value: 'never-answers', label: 'Never answers', ends: 'PATIENT_NOT_REACHED' },
  { value: 'answers-second-time', label: 'Answers at the second attempt, agrees', ends: 'RECOVERED' },
  { value: 'hangs-up', label: 'Hangs up without an outcome', ends: 'FOLLOW_UP_REQUIRED' },
  { value: 'platform-refuses', label: 'The voice platform refuses twice, then they agree', ends: 'RECOVERED' },
];

/** A recovery on the simulator, from the abandoned form to the outcome, as it happens. */
export function TryIt() {
  const { clinic } = useAccount();
  const isSimulated = clinic.voiceProvider === 'simulator';
  const [scene, setScene] = useState<Scene>('agrees');
  const start = useMutation({ ...postTryItRecoveryMutation(), onError: sayFailed });
  const stage = useRef<HTMLDivElement>(null);
  const recoveryCaseId = start.data?.recoveryCaseId;
  // On a phone the timeline stands below the scenes.
  useEffect(() => {
    if (recoveryCaseId) stage.current?.scrollIntoView({ block: 'nearest' });
  }, [recoveryCaseId]);
  return (
    <Page
      title="Try it"
      lead="Choose what the patient does. A form is abandoned, the simulator plays the call, and everything runs as it would for a real one. Nobody’s phone rings."
    >
      {!isSimulated && (
        <Alert color="yellow">The calls of your clinic go to real phones, so scenes cannot be played here.</Alert>
      )}
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title="Scene">
            <Stack>
              <Radio.Group
                aria-label="Scene"
                value={scene}
                onChange={(value) => setScene(scenes.find((each) => each.value === value)?.value ?? 'agrees')}
              >
                <Stack gap={10}>
                  {scenes.map(({ value, label, ends }) => (
                    <Group key={value} justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
                      <Radio value={value} label={label} disabled={!isSimulated} />
                      <Status state={ends} />
                    </Group>
                  ))}
                </Stack>
              </Radio.Group>
              <Button
                leftSection={<IconPlayerPlay size={16} aria-hidden />}
                disabled={!isSimulated}
                loading={start.isPending}
                onClick={() => start.mutate({ body: { scene } })}
              >
                Start the scene
              </Button>
              <PolicyNote />
            </Stack>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }} ref={stage} className={recoveryCaseId && classes.stage}>
          {recoveryCaseId ? (
            <Watch recoveryCaseId={recoveryCaseId} key={recoveryCaseId} />
          ) : (
            <Section title="What happens">
              <Empty title="Nothing has been started yet" icon={IconFlask}>
                Start a scene to see its timeline grow here, step by step.
              </Empty>
            </Section>
          )}
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function Watch({ recoveryCaseId }: { recoveryCaseId: string }) {
  const found = useQuery(getCasesByRecoveryCaseIdOptions({ path: { recoveryCaseId } }));
  return (
    <Section
      title="What happens"
      actions={
        <Group gap="sm" role="status">
          {found.data && <Status state={found.data.recoveryStatus} />}
          <Anchor component={Link} to={`/cases/${recoveryCaseId}`} size="sm">
            Show the case
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
      Your{' '}
      <Anchor component={Link} to="/integrations/calling" inherit underline="always">
        calling policy
      </Anchor>{' '}
      applies: the first call is made {seconds >= 10 ? `after ${formatDuration(seconds * 1_000)}` : 'at once'}, inside
      your calling hours.
    </Text>
  );
}
