import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { useAction } from '#forms';
import { sentenceOf } from '#http';
import { AdminOnly, Loaded, Section } from '#parts';
import { t } from '#texts';
import { languageNames, languages } from '../../language';

/** The language in which the dashboard is shown to anyone who has not chosen one. */
export function ClinicLanguage() {
  const change = useAction(api.putIntegrationsLanguageMutation(), {
    done: t`Saved.`,
    refresh: ['integrations', 'account'],
    onRefused: null,
  });
  return (
    <Section
      title={t`Language`}
      lead={t`Of this dashboard, for anyone who has not chosen another one in the account menu. What the service itself says stays English.`}
    >
      <Loaded query={useQuery(api.getIntegrationsLanguageOptions())} rows={1}>
        {({ language }) => (
          <AdminOnly>
            <Select
              label={t`Language of the dashboard`}
              maw={280}
              data={languages.map((value) => ({ value, label: languageNames[value] }))}
              value={language}
              allowDeselect={false}
              disabled={change.isPending}
              error={change.error ? sentenceOf(change.error) : undefined}
              onChange={(chosen) =>
                chosen && change.mutate({ body: { language: languages.find((each) => each === chosen) ?? 'en' } })
              }
            />
          </AdminOnly>
        )}
      </Loaded>
    </Section>
  );
}
