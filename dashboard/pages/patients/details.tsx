import type { ReactNode } from 'react';
import type * as api from '#api';
import type { Column } from '#lists';
import { Born, Phone } from '#words';
import { t } from '#texts';

type Change = NonNullable<api.PatchPatientsByPatientIdData['body']>;

/** What staff may write down about a patient. */
export type DetailName = Exclude<keyof Change, 'consent' | 'preferredCallHours' | 'preferredLanguage'>;

interface Detail {
  label: string;
  /** May not be unknown: an empty one is refused. Any other that is emptied is taken away. */
  isRequired?: boolean;
  /** Takes a line of its own in the form and on the page. */
  isLong?: boolean;
  input?: { type: 'tel' | 'email' };
  isDate?: true;
  /** How the page shows it: as it is written unless said, and not at all where the title has said it. */
  onPage?: 'title' | ((value: string) => ReactNode);
}

interface ListedDetail extends Detail {
  /** Its column in the list, and the name of it in the list's CSV. */
  column?: {
    head: string;
    exportedAs: string;
    /** As it is written unless said. */
    cell?: (value: string) => ReactNode;
    isWideOnly?: boolean;
  };
}

const born = (on: string) => <Born on={on} />;

/** In the order of the form, of the page and of the list. */
export const details: {
  [Name in DetailName]: Name extends keyof api.ListedPatient ? ListedDetail : Detail;
} = {
  firstName: { label: t`First name`, isRequired: true, onPage: 'title' },
  lastName: { label: t`Last name`, isRequired: true, onPage: 'title' },
  phone: {
    label: t`Phone`,
    isRequired: true,
    input: { type: 'tel' },
    onPage: 'title',
    column: { head: t`Phone`, exportedAs: 'phone', cell: (number) => <Phone number={number} /> },
  },
  email: {
    label: t`E-mail`,
    isLong: true,
    input: { type: 'email' },
    column: { head: t`E-mail`, exportedAs: 'email', isWideOnly: true },
  },
  dateOfBirth: {
    label: t`Date of birth`,
    isDate: true,
    onPage: 'title',
    column: { head: t`Born`, exportedAs: 'born', cell: born },
  },
  address: { label: t`Address`, isLong: true },
};

export const detailNames = Object.keys(details) as DetailName[];

/** What the page shows of them, without the name. */
export const detailFacts = (patient: api.PatientRecord): [name: string, value: ReactNode, size?: 'long'][] =>
  detailNames.flatMap((name) => {
    const { label, onPage = asWritten, isLong }: Detail = details[name];
    if (onPage === 'title') return [];
    const value = patient[name];
    return [[label, value && onPage(value), isLong ? 'long' : undefined]];
  });

const listed = detailNames.flatMap((name) => {
  const { column, isLong }: ListedDetail = details[name];
  return column ? [{ name: name as DetailName & keyof api.ListedPatient, isLong, ...column }] : [];
});

export const detailColumns = listed.map(
  ({ name, head, cell = asWritten, isLong, isWideOnly }): Column<api.ListedPatient> => ({
    head,
    cell: ({ [name]: value }) => (value ? cell(value) : '–'),
    isLong,
    isWideOnly,
  }),
);

export const exportedDetails = Object.fromEntries(
  listed.map(({ name, exportedAs }) => [exportedAs, (patient: api.ListedPatient) => patient[name]]),
);

function asWritten(value: string): ReactNode {
  return value;
}
