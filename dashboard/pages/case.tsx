import { Anchor, Button, Grid, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import {
  getCasesByRecoveryCaseIdOptions,
  postWorkflowsByWorkflowIdCancelMutation,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconBan, IconExternalLink } from '../icons';
import { CaseTimeline } from '../parts/case-timeline';
import { IdLine } from '../parts/copy';
import { Facts } from '../parts/facts';
import { Moment } from '../parts/moment';
import { Page } from '../parts/page';
import { nameOf } from '../parts/person';
import { useRefresh } from '../parts/refresh';
import { sayDone, sayFailed } from '../parts/say';
import { Section } from '../parts/section';
import { Loaded } from '../parts/states';
import { Simulated } from '../parts/simulated';
import { Status } from '../parts/status';

type CaseDetail = Api.RecoveryCaseDetail;

export function Case() {
  const { recoveryCaseId = '' } = useParams();
  const found = useQuery(getCasesByRecoveryCaseIdOptions({ path: { recoveryCaseId } }));
  return (
    <Page
      title={found.data ? nameOf(found.data.patient) : 'Recovery case'}
      lead={
        found.data && (
          <Group gap="xs">
            <Status state={found.data.recoveryStatus} />
            <Simulated of={found.data} />
          </Group>
        )
      }
      back={{ to: '/cases', label: 'Recovery cases' }}
      actions={found.data && <Actions recoveryCase={found.data} />}
    >
      <Loaded query={found} rows={8}>
        {(recoveryCase) => (
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Section title="Timeline">
                <CaseTimeline recoveryCase={recoveryCase} />
              </Section>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Stack gap="lg">
                <Form recoveryCase={recoveryCase} />
                <Ids recoveryCase={recoveryCase} />
              </Stack>
            </Grid.Col>
          </Grid>
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ recoveryCase }: { recoveryCase: CaseDetail }) {
  return (
    <>
      <Button
        component="a"
        href={recoveryCase.temporalUrl}
        target="_blank"
        rel="noreferrer"
        variant="default"
        rightSection={<IconExternalLink size={16} aria-hidden />}
      >
        Open in Temporal
      </Button>
      {recoveryCase.workflowStatus === 'started' && <Cancel recoveryCase={recoveryCase} />}
    </>
  );
}

function Cancel({ recoveryCase: { workflowId } }: { recoveryCase: CaseDetail }) {
  const refresh = useRefresh('cases');
  const cancel = useMutation({
    ...postWorkflowsByWorkflowIdCancelMutation(),
    onSuccess: () => sayDone('The case is cancelled. It ended as Follow-up required.'),
    onError: sayFailed,
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: 'Cancel this case?',
      children: (
        <Text size="sm">
          No further call is made. The case ends as “Follow-up required”, your outbound URL is told so, and a task is
          opened for staff. This cannot be undone.
        </Text>
      ),
      labels: { confirm: 'Cancel the case', cancel: 'Keep it going' },
      confirmProps: { color: 'red' },
      onConfirm: () => cancel.mutate({ path: { workflowId } }),
    });
  return (
    <Button variant="default" leftSection={<IconBan size={16} aria-hidden />} loading={cancel.isPending} onClick={ask}>
      Cancel the case
    </Button>
  );
}

function Form({ recoveryCase: { form, patient } }: { recoveryCase: CaseDetail }) {
  const pages = form.lastPageReached !== null && form.totalPages !== null;
  return (
    <Section title="Patient and form">
      <Facts
        facts={[
          [
            'Patient',
            <Anchor component={Link} to={`/patients/${patient.id}`} size="sm">
              {nameOf(patient)}
            </Anchor>,
          ],
          ['Phone', patient.phone ?? 'No number that can be called'],
          ['Form', form.formName, 'long'],
          ['Came to', pages && `page ${form.lastPageReached} of ${form.totalPages}`],
          ['Completed', form.completionPercentage !== null && `${Math.round(form.completionPercentage)} %`],
          [
            'Left at',
            form.abandonedAtCheckout === null ? null : form.abandonedAtCheckout ? 'the checkout' : 'the form',
          ],
          ['Abandoned', form.abandonedAt && <Moment at={form.abandonedAt} near={false} />],
          ['Finished', form.completedAt && <Moment at={form.completedAt} near={false} />],
          [
            'Selected',
            form.selectedProducts.length > 0 &&
              form.selectedProducts.map(({ productName, unitPrice }) => `${productName} (${unitPrice})`).join(', '),
            'long',
          ],
          [
            'Resume link',
            form.resumeUrl && (
              <Anchor href={form.resumeUrl} target="_blank" rel="noreferrer" size="sm">
                {form.resumeUrl}
              </Anchor>
            ),
            'long',
          ],
        ]}
      />
    </Section>
  );
}

function Ids({ recoveryCase }: { recoveryCase: CaseDetail }) {
  return (
    <Section title="For engineers">
      <Stack gap="xs">
        <IdLine name="Case" value={recoveryCase.recoveryCaseId} />
        <IdLine name="Session" value={recoveryCase.sessionId} />
        <IdLine name="Workflow" value={recoveryCase.workflowId} />
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            Workflow status
          </Text>
          <Status state={recoveryCase.workflowStatus} />
        </Group>
      </Stack>
    </Section>
  );
}
