import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { useAction } from '#forms';
import { sentenceOf } from '#http';
import { AdminOnly, Section, useAccount } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';
import { locale } from '../../language';

/** The country by which phone numbers and dates are read. */
export function ClinicCountry() {
  const { country, timezone } = useAccount().clinic;
  const [isAsked, setIsAsked] = useState(false);
  // The list comes with what reads numbers, which is large.
  const { data = [optionOf(country)] } = useQuery({
    enabled: isAsked,
    queryKey: ['countries'],
    queryFn: allCountries,
    staleTime: Infinity,
  });
  const change = useAction(api.putIntegrationsCountryMutation(), {
    done: t`Saved. It holds for what comes in from now on.`,
    refresh: ['integrations', 'account'],
    onRefused: null,
  });
  return (
    <Section
      title={t`Country`}
      lead={t`A phone number without a country code is read as one of this country, here and in the events of your systems, and a date as 04/05/1952 as it is written there. Its public holidays are offered as closed days, and results are in its currency unless you choose another. What is on file stays as it is.`}
    >
      <AdminOnly>
        <Select
          label={t`Country of the clinic`}
          maw={280}
          data={data}
          value={country}
          searchable
          onFocus={() => setIsAsked(true)}
          allowDeselect={false}
          disabled={change.isPending}
          error={change.error ? sentenceOf(change.error) : undefined}
          onChange={(chosen) => chosen && change.mutate({ body: { country: chosen } })}
        />
      </AdminOnly>
      <Quiet>{t`Time zone: ${timezone}. The operator of this service sets it.`}</Quiet>
    </Section>
  );
}

function optionOf(value: string): { value: string; label: string } {
  const names = new Intl.DisplayNames(locale, { type: 'region' });
  return { value, label: names.of(value) ?? value };
}

async function allCountries() {
  const { getCountries } = await import('libphonenumber-js/min');
  return getCountries()
    .map(optionOf)
    .toSorted((one, other) => one.label.localeCompare(other.label, locale));
}
