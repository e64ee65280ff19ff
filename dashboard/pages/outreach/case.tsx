import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import * as api from '#api';
import { ServiceButton } from '#forms';
import { IconBan, IconExternalLink, IconPrinter } from '#icons';
import { useIsNarrow } from '#lists';
import { Facts, IdLine, PatientLink, PlainButton, RecordPage, Section, Simulated, Status, useAccount } from '#parts';
import { t } from '#texts';
import { formatPercent, Moment, nameOf, OutsideLink, PageLink, Small, Telephone } from '#words';
import { moneyIn } from '../operations/results-money';
import { CaseTimeline } from './case-timeline';

type CaseDetail = api.RecoveryCaseDetail;

export function Case() {
  const { recoveryCaseId = '' } = useParams();
  return (
    <RecordPage
      query={useQuery(api.getCasesByRecoveryCaseIdOptions({ path: { recoveryCaseId } }))}
      kind={t`Recovery case`}
      title={({ patient }) => nameOf(patient)}
      watched={(recoveryCase) => recoveryCase.recoveryCaseId}
      back={{ to: '/cases', label: t`Recovery cases` }}
      lead={(recoveryCase) => <Lead recoveryCase={recoveryCase} />}
      actions={(recoveryCase) => <Actions recoveryCase={recoveryCase} />}
      side={(recoveryCase) => (
        <>
          <Form recoveryCase={recoveryCase} />
          <Ids recoveryCase={recoveryCase} />
        </>
      )}
    >
      {(recoveryCase) => (
        <Section title={t`Timeline`}>
          <CaseTimeline recoveryCase={recoveryCase} />
        </Section>
      )}
    </RecordPage>
  );
}

/** On a narrow screen the panel with the patient comes after the timeline. */
function Lead({ recoveryCase }: { recoveryCase: CaseDetail }) {
  const isNarrow = useIsNarrow();
  const { patient, recoveryStatus } = recoveryCase;
  return (
    <Group gap="xs">
      <Status state={recoveryStatus} />
      <Simulated of={recoveryCase} />
      {isNarrow && <PageLink py={4} to={`/patients/${patient.id}`}>{t`Show the patient`}</PageLink>}
      {isNarrow && patient.phone && <Telephone number={patient.phone} />}
    </Group>
  );
}

const Actions = ({ recoveryCase }: { recoveryCase: CaseDetail }) => (
  <>
    <PlainButton label={t`Print`} icon={IconPrinter} onClick={() => window.print()} />
    {recoveryCase.workflowStatus === 'started' && <Cancel recoveryCase={recoveryCase} />}
  </>
);

const Cancel = ({ recoveryCase: { workflowId } }: { recoveryCase: CaseDetail }) => (
  <ServiceButton
    does={api.postWorkflowsByWorkflowIdCancelMutation()}
    done={t`The case is cancelled. It ended as Follow-up required.`}
    refresh={['cases']}
    request={{ path: { workflowId } }}
    ask={{
      title: t`Cancel this case?`,
      what: t`No further call is made. The case ends as “Follow-up required”, your endpoint is told so, and a task is opened for staff. This cannot be undone.`,
      no: t`Keep it running`,
      isFinal: true,
    }}
    icon={IconBan}
    label={t`Cancel the case`}
  />
);

function Form({ recoveryCase: { form, patient } }: { recoveryCase: CaseDetail }) {
  const money = moneyIn(useAccount().clinic.currency);
  const pages = form.lastPageReached !== null && form.totalPages !== null;
  return (
    <Section title={t`Patient and form`}>
      <Facts
        facts={[
          [t`Patient`, <PatientLink of={patient} />, 'long'],
          [t`Phone`, patient.phone ? <Telephone number={patient.phone} /> : t`No callable number`],
          [t`Form`, form.formName, 'long'],
          [t`Last page`, pages && t`page ${form.lastPageReached ?? 0} of ${form.totalPages ?? 0}`],
          [t`Completed`, form.completionPercentage !== null && formatPercent(form.completionPercentage / 100)],
          [
            t`Abandoned at`,
            form.abandonedAtCheckout === null ? null : form.abandonedAtCheckout ? t`the checkout` : t`the form`,
          ],
          [t`Abandoned`, form.abandonedAt && <Moment at={form.abandonedAt} near={false} />],
          [t`Finished`, form.completedAt && <Moment at={form.completedAt} near={false} />],
          [
            t`Selected`,
            form.selectedProducts.length > 0 &&
              form.selectedProducts
                .map(({ productName, unitPrice }) => `${productName} (${money(unitPrice)})`)
                .join(', '),
            'long',
          ],
          [t`Resume link`, form.resumeUrl && <OutsideLink href={form.resumeUrl}>{form.resumeUrl}</OutsideLink>, 'long'],
        ]}
      />
    </Section>
  );
}

const Ids = ({ recoveryCase }: { recoveryCase: CaseDetail }) => (
  <Section title={t`Technical details`} gap="xs">
    <IdLine name={t`Case`} value={recoveryCase.recoveryCaseId} />
    <IdLine name={t`Session`} value={recoveryCase.sessionId} />
    <IdLine name={t`Workflow`} value={recoveryCase.workflowId} />
    <Group gap="xs">
      <Small>{t`Workflow status`}</Small>
      <Status state={recoveryCase.workflowStatus} />
    </Group>
    <OutsideLink href={recoveryCase.temporalUrl}>
      <Group gap={4} component="span">
        {t`Open in Temporal`}
        <IconExternalLink size={14} aria-hidden />
      </Group>
    </OutsideLink>
  </Section>
);
