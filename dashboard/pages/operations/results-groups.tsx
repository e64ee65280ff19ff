import { SimpleGrid } from '@mantine/core';
import type * as api from '#api';
import { Records } from '#lists';
import { Section } from '#parts';
import { t } from '#texts';
import { formatHour, PageLink, Quiet } from '#words';
import { capitalised } from '../../language';
import { type CasesOf, type Counts, percent } from './results-measures';

/** The titles of what `Groups` shows, by the ids of their sections. */
export const groupTitles = {
  barriers: t`Why patients stopped`,
  forms: t`By form`,
  providers: t`By provider`,
  'visit-types': t`By visit type`,
  'hours-reached': t`By the hour of the first conversation`,
};

interface GroupRow extends Counts {
  key: string;
  name: string;
  /** The filter of the list of its cases. */
  filter: Record<string, string>;
}

/** The cases of a period by what they have in common. */
export function Groups({ results, casesOf }: { results: api.Results; casesOf: CasesOf }) {
  const { barriers, forms, providers, visitTypes, hoursReached } = results;
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Group
        id="barriers"
        head={t`Barrier`}
        none={t`No call has found out yet.`}
        casesOf={casesOf}
        rows={barriers.map(({ barrier, ...row }) => ({
          ...row,
          key: barrier,
          name: capitalised(barrier),
          filter: { barrier },
        }))}
      />
      <Group
        id="forms"
        head={t`Form`}
        none={t`These cases came without a form.`}
        casesOf={casesOf}
        rows={forms.map(({ formName, ...row }) => ({
          ...row,
          key: formName,
          name: formName,
          filter: { form: formName },
        }))}
      />
      <Group
        id="providers"
        lead={t`By the provider of the recovered patient’s first visit in the 30 days after.`}
        head={t`Provider`}
        none={t`Nobody was recovered in these days.`}
        casesOf={casesOf}
        isOfRecovered
        rows={providers.map(({ name, displayName, ...row }) => ({
          ...row,
          key: name,
          name: name === NO_VISIT ? t`No visit booked` : (displayName ?? name),
          filter: { provider: name },
        }))}
      />
      <Group
        id="visit-types"
        lead={t`The same visits by what they are for.`}
        head={t`Visit type`}
        none={t`Nobody was recovered in these days.`}
        casesOf={casesOf}
        isOfRecovered
        rows={visitTypes.map(({ name, ...row }) => ({
          ...row,
          key: name,
          name: name === NO_VISIT ? t`No visit booked` : name,
          filter: { visitType: name },
        }))}
      />
      <Group
        id="hours-reached"
        head={t`Hour`}
        none={t`Nobody was reached in these days.`}
        casesOf={casesOf}
        rows={hoursReached
          .toSorted((one, other) => one.hour - other.hour)
          .map(({ hour, ...row }) => ({
            ...row,
            key: `${hour}`,
            name: formatHour(hour * 60),
            filter: { hourReached: `${hour}` },
          }))}
      />
    </SimpleGrid>
  );
}

/** What stands for a provider and a visit type where a recovered patient has no visit. */
const NO_VISIT = 'none';

interface GroupProps {
  id: keyof typeof groupTitles;
  lead?: string;
  head: string;
  none: string;
  rows: GroupRow[];
  casesOf: CasesOf;
  /** Every case in it was recovered. */
  isOfRecovered?: boolean;
}

function Group({ id, lead, head, none, rows, casesOf, isOfRecovered = false }: GroupProps) {
  const title = groupTitles[id];
  return (
    <Section id={id} title={title} lead={lead} flush={rows.length > 0}>
      {rows.length === 0 ? (
        <Quiet>{none}</Quiet>
      ) : (
        <Records
          label={title}
          minWidth={320}
          rows={rows}
          keyOf={({ key }) => key}
          to={({ filter }) => casesOf(filter)}
          columns={[
            { head, cell: ({ name }) => name, isLong: true },
            {
              head: isOfRecovered
                ? t({ message: 'Recovered', context: 'how many cases' })
                : t({ message: 'Cases', context: 'how many' }),
              cell: ({ opened }) => opened,
            },
            ...(isOfRecovered
              ? []
              : [
                  {
                    head: t({ message: 'Recovered', context: 'how many cases' }),
                    cell: (row: GroupRow) => (
                      <PageLink to={casesOf({ ...row.filter, status: 'RECOVERED' })}>{shareOf(row)}</PageLink>
                    ),
                  },
                ]),
          ]}
        />
      )}
    </Section>
  );
}

const shareOf = ({ recovered, lost }: GroupRow): string =>
  recovered + lost === 0
    ? t`none decided`
    : t`${recovered} of ${recovered + lost} decided, ${percent(recovered / (recovered + lost))}`;
