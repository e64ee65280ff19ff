import { SimpleGrid, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { NumberField, SettingsForm, StoredSettings, useSettingsForm } from '#forms';
import { Section } from '#parts';
import { t, Trans } from '#texts';
import { TextLink } from '#words';

/** In which currency results are counted, and what the clinic wants to reach. */
export const ResultSettings = () => (
  <StoredSettings query={useQuery(api.getIntegrationsResultsOptions())} editor={Editor} />
);

function Editor({ stored }: { stored: api.ResultSettings }) {
  const { ownCurrency, currency, usdRate, targetRecoveryRate, targetRecoveries } = stored;
  const form = useSettingsForm(api.putIntegrationsResultsMutation(), {
    initialValues: {
      currency: currency ?? '',
      usdRate: usdRate ?? '',
      targetRecoveryRate: targetRecoveryRate === null ? '' : Math.round(1_000 * targetRecoveryRate) / 10,
      targetRecoveries: targetRecoveries ?? '',
    },
    labels: {
      currency: t`Currency of the prices in your forms`,
      usdRate: t`One US dollar in this currency`,
      targetRecoveryRate: t`Recovery rate to reach, in percent`,
      targetRecoveries: t`Recoveries to reach in a month`,
    },
    request: (values) => {
      const percent = numberOf(values.targetRecoveryRate);
      return {
        body: {
          currency: values.currency.trim().toUpperCase() || null,
          usdRate: numberOf(values.usdRate),
          targetRecoveryRate: percent === null ? null : percent / 100,
          targetRecoveries: numberOf(values.targetRecoveries),
        },
      };
    },
  });
  const isUsd = (form.values.currency.trim().toUpperCase() || ownCurrency) === 'USD';
  return (
    <Section
      title={t`Results`}
      lead={
        <Trans>
          “Value recovered” in the <TextLink to="/results">results</TextLink> adds up the prices that your platform
          sends with each abandoned form, as <code>selectedProducts</code> of{' '}
          <TextLink to="/connections/inbound">Inbound events</TextLink>; no price is set here. What you want to reach is
          drawn into the results.
        </Trans>
      }
    >
      <SettingsForm form={form}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            maxLength={3}
            placeholder={ownCurrency}
            description={t`Currency code, such as USD or EUR. If empty: ${ownCurrency}.`}
            {...form.field('currency')}
          />
          <NumberField
            min={0}
            max={1_000_000}
            disabled={isUsd}
            description={t`Calls are billed in US dollars. Without it no net value is shown.`}
            {...form.field('usdRate')}
          />
          <NumberField
            min={0}
            max={100}
            description={t`Of the cases that are decided.`}
            {...form.field('targetRecoveryRate')}
          />
          <NumberField
            min={0}
            max={1_000_000}
            allowDecimal={false}
            description={t`In a calendar month.`}
            {...form.field('targetRecoveries')}
          />
        </SimpleGrid>
      </SettingsForm>
    </Section>
  );
}

/** What stands in a field for a number: nothing, or the number. */
const numberOf = (value: number | string): number | null => (value === '' ? null : Number(value));
