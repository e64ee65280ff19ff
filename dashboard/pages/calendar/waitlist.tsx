import { Group, SegmentedControl, Text } from '@mantine/core';
import * as api from '#api';
import { DialogButton } from '#forms';
import { type Column, ListPage, useFilter } from '#lists';
import { t } from '#texts';
import { Moment, PageLink, Phone, Quiet, Small } from '#words';
import { capitalised } from '../../language';
import { displayNameOf, useBookable, useWhen } from './bookable';
import { WaitForm } from './forms-on-demand';
import { daysInWords, Remove, useWaitingLead } from './waiting';

/** Who waits for what, whom was offered what, and with what answer. */
export function Waitlist() {
  const [shown, show] = useFilter('show');
  const columns = useColumns();
  const isAll = shown === 'all';
  return (
    <ListPage<api.WaitlistEntry, api.GetWaitlistData['query'] & object, api.GetWaitlistResponse>
      title={t`Waitlist`}
      lead={useWaitingLead()}
      area="waitlist"
      read={api.getWaitlist}
      query={isAll ? {} : { open: 'true' }}
      isCounted={false}
      columns={columns}
      keyOf={({ id }) => id}
      empty={{ title: isAll ? t`Nobody has waited yet` : t`Nobody is waiting` }}
      actions={
        <DialogButton label={t`Add to the waitlist`} size="sm" variant="filled" title={t`Add to the waitlist`}>
          {(close) => <WaitForm onDone={close} />}
        </DialogButton>
      }
      aboveRows={() => (
        <Group px="md" py="xs">
          <SegmentedControl
            size="xs"
            aria-label={t`Show`}
            data={[
              { value: 'open', label: t`Waiting now` },
              { value: 'all', label: t`Everybody` },
            ]}
            value={isAll ? 'all' : 'open'}
            onChange={(next) => show(next === 'all' ? next : null)}
          />
        </Group>
      )}
    />
  );
}

const statuses: Record<api.WaitlistEntryStatus, string> = {
  waiting: t`Waiting`,
  offered: t`Being called`,
  booked: t`Booked`,
  removed: t`Removed`,
  expired: t`Expired`,
};
const answers: Record<api.WaitlistOfferStatus, string> = {
  open: t`being called`,
  accepted: t`accepted`,
  declined: t`declined`,
  lapsed: t`not taken in time`,
  postponed: t`could not be called in time`,
  withdrawn: t`taken off the list`,
};

function useColumns(): Column<api.WaitlistEntry>[] {
  const providers = useBookable().data?.items ?? [];
  const when = useWhen();
  return [
    {
      head: t`Patient`,
      cell: ({ patientId, patientName, visitType }) => (
        <>
          <PageLink to={`/patients/${patientId}`} lineClamp={1}>
            {patientName || t`Name not given`}
          </PageLink>
          <Small style={{ whiteSpace: 'nowrap' }}>{visitType}</Small>
        </>
      ),
    },
    {
      head: t`With`,
      cell: ({ providerName }) => (
        <span style={{ whiteSpace: 'nowrap' }}>
          {providerName === null ? t`Any provider` : displayNameOf(providers, providerName)}
        </span>
      ),
    },
    { head: t`Phone`, cell: ({ phone }) => phone && <Phone number={phone} />, width: 140 },
    {
      head: t`When`,
      cell: (entry) => <span title={daysInWords(entry)}>{daysInWords(entry)}</span>,
      width: '26%',
      isRest: true,
    },
    { head: t`Since`, cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      head: t`Offered`,
      cell: ({ status, offers }) => (
        <>
          {offers.length === 0 && <Quiet>{statuses[status]}</Quiet>}
          {offers.map(({ offeredAt, startsAt, providerDisplayName, status: answer }) => {
            const told = t`${capitalised(answers[answer])}: ${when(startsAt)} with ${providerDisplayName}`;
            return (
              <Text key={offeredAt} size="sm" lineClamp={2} title={told}>
                {told}
              </Text>
            );
          })}
        </>
      ),
      width: '20%',
      isRest: true,
    },
    { head: t`Change`, cell: (entry) => <Remove entry={entry} />, width: 110, isActions: true },
  ];
}
