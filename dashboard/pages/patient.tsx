import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Badge, Box, Grid, Group, Stack, Text } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import {
  getCallsOptions,
  getCasesOptions,
  getIntegrationsOptOutsOptions,
  getPatientsByPatientIdCallDecisionsOptions,
  getPatientsByPatientIdOptions,
  getTasksOptions,
} from '../http/client/@tanstack/react-query.gen';
import type * as Api from '../http/client/types.gen';
import { AddNote } from '../parts/add-note';
import { Book, ChangeAppointment } from '../parts/booking';
import { IdLine } from '../parts/copy';
import { EditPatient } from '../parts/edit-patient';
import { Facts } from '../parts/facts';
import { Moment } from '../parts/moment';
import { NeverCall } from '../parts/never-call';
import { optOutScopes, OptOutSource } from '../parts/opt-out';
import { OverrideBooking } from '../parts/override';
import { useIsNarrow } from '../parts/narrow';
import { Page } from '../parts/page';
import { PatientData } from '../parts/patient-data';
import { Born, nameOf, Telephone } from '../parts/person';
import { type Column, Records } from '../parts/record-list';
import { saidFacts } from '../parts/said-facts';
import { Section } from '../parts/section';
import { Empty, Loaded, Nothing } from '../parts/states';
import { Status } from '../parts/status';
import { taskTitle } from '../parts/task-reasons';
import { ResolveTask } from '../parts/task-actions';
import { PatientWaitlist } from '../parts/waitlist';
import { Why } from '../parts/why-called';
import { workflowName } from '../parts/workflow-name';
import classes from './patient.module.css';

type PatientRecord = Api.PatientRecord;

export function Patient() {
  const { patientId = '' } = useParams();
  const found = useQuery(getPatientsByPatientIdOptions({ path: { patientId } }));
  return (
    <Page
      title={found.data ? nameOf(found.data) : t`Patient`}
      lead={found.data && <Lead patient={found.data} />}
      back={{ to: '/patients', label: t`Patients` }}
      actions={found.data && <Book patient={found.data} />}
    >
      <Loaded query={found} rows={8}>
        {(patient) => (
          <Grid gap="lg">
            <Grid.Col span={{ base: 12, md: 8 }}>
              <Stack gap="lg">
                <Appointments patient={patient} />
                <PatientWaitlist patient={patient} />
                <Cases patientId={patient.id} />
                <Tasks patientId={patient.id} />
                <Calls patientId={patient.id} />
                <Notes patient={patient} />
                <NotCalled patientId={patient.id} />
              </Stack>
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 4 }}>
              <Stack gap="lg">
                <OnFile patient={patient} />
                <MayBeCalled patient={patient} />
                <Registration patient={patient} />
                <Billing patient={patient} />
                <PatientData patient={patient} />
                <Section title={t`For engineers`}>
                  <Stack gap="xs">
                    <IdLine name={t`Patient`} value={patient.id} />
                    {patient.identifier && <IdLine name={t`Identifier`} value={patient.identifier} />}
                  </Stack>
                </Section>
              </Stack>
            </Grid.Col>
          </Grid>
        )}
      </Loaded>
    </Page>
  );
}

/** On a phone with what a caller is known by: the rest of it comes after the appointments there. */
function Lead({ patient: { registration, dateOfBirth, phone } }: { patient: PatientRecord }) {
  const isNarrow = useIsNarrow();
  return (
    <Group gap="xs">
      <Status state={registration.status} />
      {isNarrow && dateOfBirth && (
        <span>
          <Trans>
            born <Born on={dateOfBirth} />
          </Trans>
        </span>
      )}
      {isNarrow && phone && <Telephone number={phone} />}
    </Group>
  );
}

function OnFile({ patient }: { patient: PatientRecord }) {
  return (
    <Section title={t`On file`} actions={<EditPatient patient={patient} />}>
      <Facts
        facts={[
          [t`Phone`, patient.phone && <Telephone number={patient.phone} />],
          [t`E-mail`, patient.email, 'long'],
          [t`Date of birth`, patient.dateOfBirth && <Born on={patient.dateOfBirth} />],
          [t`Address`, patient.address, 'long'],
          [t`Reason for visit`, patient.reasonForVisit, 'long'],
          [t`Patient type`, patient.patientType === 'NEW' ? t`New` : t`Known before`],
          [t`Synced to the CRM`, patient.crmSyncedAt && <Moment at={patient.crmSyncedAt} />],
          [t`Since`, <Moment at={patient.createdAt} near={false} />],
        ]}
      />
    </Section>
  );
}

/** Whether the phone on file may be called: who said that it may not, and what the patient agreed to. */
function MayBeCalled({ patient }: { patient: PatientRecord }) {
  const { phone, consent } = patient;
  const optOuts = useQuery({
    ...getIntegrationsOptOutsOptions({ query: { phone: phone ?? '', limit: 1 } }),
    enabled: phone !== null,
  });
  const [optOut] = optOuts.data?.items ?? [];
  const mayBeStopped = phone !== null && optOuts.data !== undefined && optOut?.scope !== 'all';
  return (
    <Section title={t`Calls to this patient`} actions={mayBeStopped && <NeverCall patient={patient} />}>
      <Stack gap="sm">
        {phone === null ? (
          <Nothing>
            <Trans>No phone is on file, so nobody is called.</Trans>
          </Nothing>
        ) : (
          <Loaded query={optOuts} rows={2}>
            {() =>
              optOut ? (
                <OptedOut optOut={optOut} />
              ) : (
                <Nothing>
                  <Trans>Nobody has said that it may not be called.</Trans>
                </Nothing>
              )
            }
          </Loaded>
        )}
        {consent && (
          <Facts
            facts={[
              [consent.isGiven ? t`Agreed to` : t`Refused`, consent.basis, 'long'],
              [t`Said to`, consent.source],
              [t`On`, <Moment at={consent.at} near={false} />],
            ]}
          />
        )}
      </Stack>
    </Section>
  );
}

const OptedOut = ({ optOut }: { optOut: Api.OptOut }) => (
  <Facts
    facts={[
      [t`Not called about`, optOutScopes[optOut.scope]],
      [t`Since`, <Moment at={optOut.createdAt} near={false} />],
      [t`Who said so`, <OptOutSource optOut={optOut} />, 'long'],
    ]}
  />
);

function Registration({ patient: { registration } }: { patient: PatientRecord }) {
  const { status, missingFields, commsConsent, ...given } = registration;
  return (
    <Section title={t`Registration`}>
      <Stack gap="sm">
        {status === 'ACTION_REQUIRED' && (
          <Alert color="yellow" title={t`Not complete`}>
            <Trans>Still missing: {missingFields.map(missing).join(', ')}.</Trans>
          </Alert>
        )}
        <Facts
          facts={[
            [t`Status`, <Status state={status} />],
            [fieldNames.preferredLocation, given.preferredLocation],
            [fieldNames.medicareStatus, given.medicareStatus],
            [fieldNames.healthPlanName, given.healthPlanName],
            [fieldNames.referralSource, given.referralSource],
            [fieldNames.commsConsent, commsConsent === null ? null : commsConsent ? t`Yes` : t`No`],
          ]}
        />
      </Stack>
    </Section>
  );
}

type RegistrationField = PatientRecord['registration']['missingFields'][number];

const fieldNames: Record<RegistrationField, string> = {
  firstName: t`First name`,
  lastName: t`Last name`,
  phone: t`Phone`,
  email: t`E-mail`,
  preferredLocation: t`Preferred location`,
  medicareStatus: t`Medicare status`,
  healthPlanName: t`Health plan`,
  referralSource: t`Referral source`,
  commsConsent: t`May be contacted`,
};

/** In the middle of a sentence. */
const missing = (field: RegistrationField): string => {
  if (field === 'commsConsent') return t`whether they may be contacted`;
  // Its first word is a name.
  if (field === 'medicareStatus') return t({ message: 'Medicare status', context: 'in a sentence' });
  return fieldNames[field].toLowerCase();
};

function Billing({ patient: { insurance, selfPay } }: { patient: PatientRecord }) {
  if (!insurance && !selfPay) return null;
  return (
    <Section title={t`Insurance and payment`}>
      <Facts facts={[...saidFacts(insurance), ...saidFacts(selfPay)]} />
    </Section>
  );
}

function Appointments({ patient: { id: patientId, appointments } }: { patient: PatientRecord }) {
  return (
    <Section title={t`Appointments`} actions={<OverrideBooking patientId={patientId} />} flush>
      {appointments.length === 0 ? (
        <Empty title={t`No appointment`} />
      ) : (
        <Records label={t`Appointments`} rows={appointments} columns={appointmentColumns} keyOf={({ id }) => id} />
      )}
    </Section>
  );
}

const appointmentColumns: Column<PatientRecord['appointments'][number]>[] = [
  { head: t`When`, cell: ({ startsAt }) => <Moment at={startsAt} near={false} /> },
  {
    head: t`With`,
    cell: ({ startsAt, providerName, providerDisplayName }) => (
      <Anchor
        component={Link}
        to={`/calendar?provider=${encodeURIComponent(providerName)}&week=${startsAt.slice(0, 10)}`}
        size="sm"
      >
        {providerDisplayName}
      </Anchor>
    ),
  },
  { head: t`Visit`, cell: ({ visitType }) => visitType },
  { head: t`State`, cell: ({ status }) => <Status state={status} /> },
  {
    head: t`Change`,
    cell: (appointment) => <ChangeAppointment appointment={appointment} />,
    width: 150,
    isActions: true,
  },
];

function Cases({ patientId }: { patientId: string }) {
  const cases = useQuery(getCasesOptions({ query: { patientId, limit: 10 } }));
  return (
    <Section title={t`Recovery cases`}>
      <Loaded query={cases} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>
              <Trans>No recovery case.</Trans>
            </Nothing>
          ) : (
            <Stack component="ul" gap="xs" className={classes.plain}>
              {items.map(({ recoveryCaseId, formName, recoveryStatus, createdAt }) => (
                <li key={recoveryCaseId}>
                  <Group gap="xs">
                    <Anchor component={Link} to={`/cases/${recoveryCaseId}`} size="sm" lineClamp={3}>
                      {formName ?? t`Started over the API`}
                    </Anchor>
                    <Status state={recoveryStatus} />
                    <Text size="xs" c="dimmed">
                      <Moment at={createdAt} />
                    </Text>
                  </Group>
                </li>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}

function Tasks({ patientId }: { patientId: string }) {
  const tasks = useQuery(getTasksOptions({ query: { patientId, limit: 10 } }));
  return (
    <Section title={t`Tasks`}>
      <Loaded query={tasks} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>
              <Trans>No task.</Trans>
            </Nothing>
          ) : (
            <Stack component="ul" gap="sm" className={classes.plain}>
              {items.map((task) => (
                <li key={task.id}>
                  <Group gap="xs" justify="space-between" align="flex-start">
                    <div>
                      <Group gap="xs">
                        <Text size="sm" fw={500}>
                          {taskTitle(task.reason)}
                        </Text>
                        <Status state={task.state} />
                      </Group>
                      <Text size="xs" c="dimmed">
                        {task.assignee?.name ?? t`Nobody yet`}, <Moment at={task.createdAt} />
                      </Text>
                    </div>
                    <ResolveTask task={task} />
                  </Group>
                </li>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}

/** What calls and staff wrote down. */
function Notes({ patient: { id: patientId, documents } }: { patient: PatientRecord }) {
  return (
    <Section title={t`Notes`}>
      {documents.length > 0 && (
        <Stack component="ul" gap="md" className={classes.plain}>
          {documents.map(({ id, note, createdAt, callId, escalateToClinicalTeam, requestExternalRecords }) => (
            <li key={id}>
              <Group gap="xs" mb={4}>
                <Text size="xs" c="dimmed">
                  <Moment at={createdAt} near={false} />
                </Text>
                {escalateToClinicalTeam && (
                  <Badge color="red">
                    <Trans>For the clinical team</Trans>
                  </Badge>
                )}
                {requestExternalRecords && (
                  <Badge color="blue">
                    <Trans>External records wanted</Trans>
                  </Badge>
                )}
                {callId && (
                  <Anchor component={Link} to={`/calls/${callId}`} size="xs">
                    <Trans>Show the call</Trans>
                  </Anchor>
                )}
              </Group>
              {note ? (
                <Text size="sm" className={classes.note}>
                  {note}
                </Text>
              ) : (
                <Nothing>
                  <Trans>Without a text.</Trans>
                </Nothing>
              )}
            </li>
          ))}
        </Stack>
      )}
      <Box mt={documents.length > 0 ? 'md' : undefined}>
        <AddNote patientId={patientId} />
      </Box>
    </Section>
  );
}

function Calls({ patientId }: { patientId: string }) {
  const calls = useQuery(getCallsOptions({ query: { patientId, limit: 10 } }));
  return (
    <Section title={t`Calls`}>
      <Loaded query={calls} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>
              <Trans>Never called.</Trans>
            </Nothing>
          ) : (
            <Stack component="ul" gap="md" className={classes.plain}>
              {items.map(({ id, state, createdAt, workflowType, summary }) => (
                <li key={id}>
                  <Group gap="xs">
                    <Anchor component={Link} to={`/calls/${id}`} size="sm">
                      {workflowName(workflowType)}
                    </Anchor>
                    <Status state={state} />
                    <Text size="xs" c="dimmed">
                      <Moment at={createdAt} />
                    </Text>
                  </Group>
                  {summary && (
                    <Text size="sm" c="dimmed" lineClamp={4} title={summary}>
                      {summary}
                    </Text>
                  )}
                </li>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}

/** What held calls back or ended them, of all workflows: a call that was placed says so on its own page. */
function NotCalled({ patientId }: { patientId: string }) {
  const query = { called: 'false', limit: 10 } as const;
  const decisions = useQuery(getPatientsByPatientIdCallDecisionsOptions({ path: { patientId }, query }));
  return (
    <Section title={t`Why not called`}>
      <Loaded query={decisions} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>
              <Trans>Nothing has held a call back.</Trans>
            </Nothing>
          ) : (
            <Stack component="ul" gap="xs" className={classes.plain}>
              {items.map((decision) => (
                <li key={`${decision.at}-${decision.workflowId}-${decision.rule}`}>
                  <Group gap="xs">
                    <Text size="sm">{workflowName(decision.workflowType)}</Text>
                    <Text size="xs" c="dimmed">
                      <Moment at={decision.at} near={false} />
                    </Text>
                  </Group>
                  <Text size="sm" c="dimmed">
                    <Why decision={decision} />
                  </Text>
                </li>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Section>
  );
}
