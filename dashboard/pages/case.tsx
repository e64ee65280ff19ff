import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Grid, Group, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import {
  getCasesByRecoveryCaseIdOptions,
  postWorkflowsByWorkflowIdCancelMutation,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { IconBan, IconExternalLink, IconPrinter } from '../icons';
import { CaseTimeline } from '../parts/case-timeline';
import { IdLine } from '../parts/copy';
import { Facts } from '../parts/facts';
import { Moment } from '../parts/moment';
import { useIsNarrow } from '../parts/narrow';
import { Page } from '../parts/page';
import { formatPercent } from '../parts/percent';
import { nameOf, Telephone } from '../parts/person';
import { useRefresh } from '../parts/refresh';
import { sayDone, sayFailed } from '../parts/say';
import { Section } from '../parts/section';
import { Loaded } from '../parts/states';
import { Simulated } from '../parts/simulated';
import { Status } from '../parts/status';

type CaseDetail = Api.RecoveryCaseDetail;

export function Case() {
  const { recoveryCaseId = '' } = useParams();
  // There the panel with both comes after the timeline.
  const isNarrow = useIsNarrow();
  const found = useQuery(getCasesByRecoveryCaseIdOptions({ path: { recoveryCaseId } }));
  return (
    <Page
      title={found.data ? nameOf(found.data.patient) : t`Recovery case`}
      lead={
        found.data && (
          <Group gap="xs">
            <Status state={found.data.recoveryStatus} />
            <Simulated of={found.data} />
            {isNarrow && (
              <Anchor component={Link} to={`/patients/${found.data.patient.id}`} size="sm" py={4}>
                <Trans>Show the patient</Trans>
              </Anchor>
            )}
            {isNarrow && found.data.patient.phone && <Telephone number={found.data.patient.phone} />}
          </Group>
        )
      }
      back={{ to: '/cases', label: t`Recovery cases` }}
      actions={found.data && <Actions recoveryCase={found.data} />}
    >
      <Loaded query={found} rows={8}>
        {(recoveryCase) => (
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Section title={t`Timeline`}>
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
      <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
        <Trans>Print</Trans>
      </Button>
      {recoveryCase.workflowStatus === 'started' && <Cancel recoveryCase={recoveryCase} />}
    </>
  );
}

function Cancel({ recoveryCase: { workflowId } }: { recoveryCase: CaseDetail }) {
  const refresh = useRefresh('cases');
  const cancel = useMutation({
    ...postWorkflowsByWorkflowIdCancelMutation(),
    onSuccess: () => sayDone(t`The case is cancelled. It ended as Follow-up required.`),
    onError: sayFailed,
    onSettled: refresh,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: t`Cancel this case?`,
      children: (
        <Text size="sm">
          <Trans>
            No further call is made. The case ends as “Follow-up required”, your outbound URL is told so, and a task is
            opened for staff. This cannot be undone.
          </Trans>
        </Text>
      ),
      labels: { confirm: t`Cancel the case`, cancel: t`Keep it going` },
      confirmProps: { color: 'red' },
      onConfirm: () => cancel.mutate({ path: { workflowId } }),
    });
  return (
    <Button variant="default" leftSection={<IconBan size={16} aria-hidden />} loading={cancel.isPending} onClick={ask}>
      <Trans>Cancel the case</Trans>
    </Button>
  );
}

function Form({ recoveryCase: { form, patient } }: { recoveryCase: CaseDetail }) {
  const pages = form.lastPageReached !== null && form.totalPages !== null;
  return (
    <Section title={t`Patient and form`}>
      <Facts
        facts={[
          [
            t`Patient`,
            <Anchor component={Link} to={`/patients/${patient.id}`} size="sm">
              {nameOf(patient)}
            </Anchor>,
            'long',
          ],
          [t`Phone`, patient.phone ? <Telephone number={patient.phone} /> : t`No number that can be called`],
          [t`Form`, form.formName, 'long'],
          [t`Came to`, pages && t`page ${form.lastPageReached ?? 0} of ${form.totalPages ?? 0}`],
          [t`Completed`, form.completionPercentage !== null && formatPercent(form.completionPercentage / 100)],
          [
            t`Left at`,
            form.abandonedAtCheckout === null ? null : form.abandonedAtCheckout ? t`the checkout` : t`the form`,
          ],
          [t`Abandoned`, form.abandonedAt && <Moment at={form.abandonedAt} near={false} />],
          [t`Finished`, form.completedAt && <Moment at={form.completedAt} near={false} />],
          [
            t`Selected`,
            form.selectedProducts.length > 0 &&
              form.selectedProducts.map(({ productName, unitPrice }) => `${productName} (${unitPrice})`).join(', '),
            'long',
          ],
          [
            t`Resume link`,
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
    <Section title={t`For engineers`}>
      <Stack gap="xs">
        <IdLine name={t`Case`} value={recoveryCase.recoveryCaseId} />
        <IdLine name={t`Session`} value={recoveryCase.sessionId} />
        <IdLine name={t`Workflow`} value={recoveryCase.workflowId} />
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            <Trans>Workflow status</Trans>
          </Text>
          <Status state={recoveryCase.workflowStatus} />
        </Group>
        <Anchor href={recoveryCase.temporalUrl} target="_blank" rel="noreferrer" size="sm">
          <Group gap={4} component="span">
            <Trans>Open in Temporal</Trans>
            <IconExternalLink size={14} aria-hidden />
          </Group>
        </Anchor>
      </Stack>
    </Section>
  );
}
