import { Alert, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { useParams } from 'react-router';
import * as api from '#api';
import { DialogButton } from '#forms';
import { type Column, Records } from '#lists';
import { Facts, IdLine, Loaded, onDemand, RecordPage, Section, Status, useMay, useZone } from '#parts';
import { t, Trans } from '#texts';
import { Born, DayAndTime, Moment, nameOf, PageLink, Quiet, Telephone, wallClock } from '#words';
import { isChangeable, useIsOfToday } from '../calendar/appointment';
import { Book } from '../calendar/book';
import { ChangeAppointment } from '../calendar/changing';
import { OverrideBooking } from '../calendar/override';
import { PatientWaitlist } from '../calendar/patient-waitlist';
import { AllowCalls } from '../outreach/allow-calls';
import { CallsUnderWay } from '../outreach/calls-under-way';
import { NeverCall } from '../outreach/never-call';
import { optOutScopes, OptOutSource } from '../outreach/opt-out';
import { saidFacts } from '../outreach/said-facts';
import { CallWishes, DoNotCall } from './call-wishes';
import { detailFacts } from './details';
import { Merged, PossibleDuplicates } from './merges';
import { PatientData } from './patient-data';
import { PatientTimeline } from './patient-timeline';

type PatientRecord = api.PatientRecord;

const AllowedAgain = onDemand(async () => (await import('../outreach/allowed-again')).AllowedAgain);
const EditForm = onDemand(async () => (await import('./edit-patient')).EditForm);

export function Patient() {
  const { patientId = '' } = useParams();
  return (
    <RecordPage
      query={useQuery(api.getPatientsByPatientIdOptions({ path: { patientId } }))}
      kind={t`Patient`}
      title={nameOf}
      watched={({ id }) => id}
      back={{ to: '/patients', label: t`Patients` }}
      lead={(patient) => <Lead patient={patient} />}
      actions={(patient) => patient.replacedBy === null && <Book patient={patient} />}
      side={(patient) => (
        <>
          <OnFile patient={patient} />
          <MayBeCalled patient={patient} />
          <PatientWaitlist patient={patient} />
          <Registration patient={patient} />
          <Billing patient={patient} />
          <PatientData patient={patient} />
          <Section title={t`Technical details`} gap="xs">
            <IdLine name={t`Patient`} value={patient.id} />
            {patient.identifier && <IdLine name={t`Identifier`} value={patient.identifier} />}
          </Section>
        </>
      )}
    >
      {(patient) => (
        <>
          <Merged patient={patient} />
          <CallsUnderWay patientId={patient.id} />
          <PossibleDuplicates patient={patient} />
          <Appointments patient={patient} />
          <PatientTimeline patient={patient} />
        </>
      )}
    </RecordPage>
  );
}

/** What a caller is known by, and what must be known before anything else is said: that this patient is not to be called. */
function Lead({ patient }: { patient: PatientRecord }) {
  const { registration, dateOfBirth, phone, appointments } = patient;
  const optOut = useOptOut(patient).data?.items[0];
  const next = appointments.filter(isChangeable).at(-1);
  return (
    <Group gap="xs" component="span">
      {optOut && <DoNotCall scope={optOut.scope} />}
      <Status state={registration.status} />
      {registration.missingFields.length > 0 && <span>{toAskFor(registration.missingFields)}</span>}
      {phone ? <Telephone number={phone} /> : <span>{t`No phone`}</span>}
      <CallWishes {...patient} />
      {dateOfBirth && (
        <span>
          <Trans>
            born <Born on={dateOfBirth} />
          </Trans>
        </span>
      )}
      {next && (
        <span>
          <Trans>
            next visit <DayAndTime at={next.startsAt} />
          </Trans>
        </span>
      )}
    </Group>
  );
}

const useOptOut = ({ phone }: PatientRecord) =>
  useQuery({
    ...api.getIntegrationsOptOutsOptions({ query: { phone: phone ?? '', limit: 1 } }),
    enabled: phone !== null,
  });

const EditPatient = ({ patient }: { patient: PatientRecord }) => (
  <DialogButton label={t`Edit`} title={t`Edit ${nameOf(patient)}`} foundBy={t`change, phone, language, Spanish`}>
    {(close) => <EditForm patient={patient} onDone={close} />}
  </DialogButton>
);

const OnFile = ({ patient }: { patient: PatientRecord }) => (
  <Section title={t`On file`} actions={patient.replacedBy === null && <EditPatient patient={patient} />}>
    <Facts
      facts={[
        ...detailFacts(patient),
        [t`Reason for visit`, patient.reasonForVisit, 'long'],
        [t`Synced to the CRM`, patient.crmSyncedAt && <Moment at={patient.crmSyncedAt} />],
        [t`Since`, <Moment at={patient.createdAt} near={false} />],
      ]}
    />
  </Section>
);

/** Whether the phone on file may be called: who said that it may not, and what the patient agreed to. */
function MayBeCalled({ patient }: { patient: PatientRecord }) {
  const { phone, consent } = patient;
  const optOuts = useOptOut(patient);
  const may = useMay();
  const [optOut] = optOuts.data?.items ?? [];
  const mayBeStopped = phone !== null && optOuts.data !== undefined && optOut?.scope !== 'all';
  return (
    <Section
      title={t`Calls to this patient`}
      actions={
        may('patients') && (
          <Group gap="xs">
            {optOut && <AllowCalls patient={patient} />}
            {mayBeStopped && <NeverCall patient={patient} />}
          </Group>
        )
      }
      gap="sm"
    >
      {phone === null ? (
        <Quiet>{t`No phone is on file, so nobody is called.`}</Quiet>
      ) : (
        <Loaded query={optOuts} rows={2}>
          {() => (optOut ? <OptedOut optOut={optOut} /> : <NotOptedOut patient={patient} />)}
        </Loaded>
      )}
      {consent && (
        <Facts
          facts={[
            [consent.isGiven ? t`Agreed to` : t`Refused`, consent.basis, 'long'],
            [t`Given to`, consent.source],
            [t`On`, <Moment at={consent.at} near={false} />],
          ]}
        />
      )}
    </Section>
  );
}

const OptedOut = ({ optOut }: { optOut: api.OptOut }) => (
  <Facts
    facts={[
      [t`Not called about`, optOutScopes[optOut.scope]],
      [t`Since`, <Moment at={optOut.createdAt} near={false} />],
      [t`Who said so`, <OptOutSource optOut={optOut} />, 'long'],
    ]}
  />
);

function NotOptedOut({ patient: { changes } }: { patient: PatientRecord }) {
  const last = changes.find(({ action }) => action.startsWith('opt-out.'));
  return last?.action === 'opt-out.remove' ? (
    <Suspense fallback={null}>
      <AllowedAgain by={last} />
    </Suspense>
  ) : (
    <Quiet>{t`Nobody has asked to stop these calls.`}</Quiet>
  );
}

function Registration({ patient: { registration } }: { patient: PatientRecord }) {
  const { status, missingFields, commsConsent, ...given } = registration;
  return (
    <Section title={t`Registration`} gap="sm">
      {status === 'ACTION_REQUIRED' && (
        <Alert color="yellow" title={t`Not complete`}>
          {t`Still missing: ${missingFields.map(missing).join(', ')}.`}
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
  commsConsent: t`Agreed to be contacted`,
};

/** In the middle of a sentence. */
const missing = (field: RegistrationField): string => {
  if (field === 'commsConsent') return t`whether they may be contacted`;
  // Its first word is a name.
  if (field === 'medicareStatus') return t({ message: 'Medicare status', context: 'in a sentence' });
  return fieldNames[field].toLowerCase();
};

/** So many are named where it stands beside the name; the registration names all. */
const MAX_NAMED = 3;

function toAskFor(fields: RegistrationField[]): string {
  const names = fields.slice(0, MAX_NAMED).map(missing).join(', ');
  const more = fields.length - MAX_NAMED;
  return more > 0 ? t`still missing: ${names} and ${more} more` : t`still missing: ${names}`;
}

function Billing({ patient: { insurance, selfPay } }: { patient: PatientRecord }) {
  if (!insurance && !selfPay) return null;
  return (
    <Section title={t`Insurance and payment`}>
      <Facts facts={[...saidFacts(insurance), ...saidFacts(selfPay)]} />
    </Section>
  );
}

/** What is booked and has not begun, and today's; what was is in the timeline. */
function Appointments({ patient: { id: patientId, appointments } }: { patient: PatientRecord }) {
  const isOfToday = useIsOfToday();
  const booked = appointments.filter((each) => isChangeable(each) || isOfToday(each)).toReversed();
  return (
    <Section title={t`Next visits`} actions={<OverrideBooking patientId={patientId} />} flush={booked.length > 0}>
      {booked.length === 0 ? (
        <Quiet>{t`Nothing is booked.`}</Quiet>
      ) : (
        <Records label={t`Next visits`} rows={booked} columns={appointmentColumns} keyOf={({ id }) => id} />
      )}
    </Section>
  );
}

function InCalendar({ startsAt, providerName, providerDisplayName }: PatientRecord['appointments'][number]) {
  const { date } = wallClock(startsAt, useZone());
  return (
    <PageLink to={`/calendar?provider=${encodeURIComponent(providerName)}&week=${date}`}>
      {providerDisplayName}
    </PageLink>
  );
}

const appointmentColumns: Column<PatientRecord['appointments'][number]>[] = [
  { head: t`When`, cell: ({ startsAt }) => <Moment at={startsAt} near={false} /> },
  {
    head: t`With`,
    cell: (appointment) => <InCalendar {...appointment} />,
  },
  { head: t`Visit`, cell: ({ visitType }) => visitType, isLong: true },
  {
    head: t`Change`,
    cell: (appointment) => <ChangeAppointment appointment={appointment} />,
    width: 150,
    isActions: true,
  },
];
