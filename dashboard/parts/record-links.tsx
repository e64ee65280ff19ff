import type { AnchorProps } from '@mantine/core';
import { t } from '#texts';
import { nameOf, PageLink } from '#words';

interface Named {
  id: string;
  firstName: string;
  lastName: string;
}

/** To the page of a patient, by name. */
export const PatientLink = ({ of: patient }: { of: Named }) => (
  <PageLink to={`/patients/${patient.id}`}>{nameOf(patient)}</PageLink>
);

interface RecordLinkProps extends Pick<AnchorProps, 'py' | 'fw' | 'size'> {
  id: string;
}

export const CaseLink = ({ id, ...link }: RecordLinkProps) => (
  <PageLink to={`/cases/${id}`} {...link}>
    {t`Show the case`}
  </PageLink>
);

export const CallLink = ({ id, ...link }: RecordLinkProps) => (
  <PageLink to={`/calls/${id}`} {...link}>
    {t`Show the call`}
  </PageLink>
);
