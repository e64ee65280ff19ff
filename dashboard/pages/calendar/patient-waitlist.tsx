import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { DialogButton } from '#forms';
import { Line, Loaded, Section } from '#parts';
import { t } from '#texts';
import { nameOf, Quiet } from '#words';
import { displayNameOf, useBookable, useWhen } from './bookable';
import { WaitForm } from './forms-on-demand';
import { daysInWords, Remove } from './waiting';

/** What the patient waits for, and a way to be called when it becomes free. */
export const PatientWaitlist = ({ patient }: { patient: api.PatientName }) => (
  <Section title={t`Waitlist`} actions={<Wait patient={patient} />}>
    <Loaded
      query={useQuery(api.getWaitlistOptions({ query: { patientId: patient.id, open: 'true', limit: 20 } }))}
      rows={1}
    >
      {({ items }) =>
        items.length === 0 ? (
          <Quiet>{t`Not on the waitlist.`}</Quiet>
        ) : (
          <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
            {items.map((entry) => (
              <li key={entry.id}>
                <Entry entry={entry} />
              </li>
            ))}
          </Stack>
        )
      }
    </Loaded>
  </Section>
);

const Wait = ({ patient }: { patient: api.PatientName }) => (
  <DialogButton label={t`Add to the waitlist`} title={t`Waitlist: ${nameOf(patient)}`} foundBy="">
    {(close) => <WaitForm patientId={patient.id} onDone={close} />}
  </DialogButton>
);

function Entry({ entry }: { entry: api.WaitlistEntry }) {
  const { visitType, providerName, offeredAt } = entry;
  const providers = useBookable().data?.items ?? [];
  const when = useWhen();
  const whose = providerName === null ? t`any provider` : displayNameOf(providers, providerName);
  return (
    <Line
      name={
        <>
          {visitType}, {whose}
        </>
      }
      align="flex-start"
      more={
        <>{offeredAt && <Text size="xs">{t`${when(offeredAt)} is held for them, and they are being called.`}</Text>}</>
      }
      actions={<Remove entry={entry} />}
    >
      {daysInWords(entry)}
    </Line>
  );
}
