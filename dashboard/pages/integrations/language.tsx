import { t } from '@lingui/core/macro';
import { Select } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  getIntegrationsLanguageOptions,
  putIntegrationsLanguageMutation,
} from '../../http/client/@tanstack/react-query.gen';
import { sentenceOf } from '../../http/service';
import { languageNames, languages } from '../../language';
import { AdminOnly } from '../../parts/admin';
import { useRefresh } from '../../parts/refresh';
import { sayDone } from '../../parts/say';
import { Section } from '../../parts/section';
import { Loaded } from '../../parts/states';

/** The language in which the dashboard is shown to whoever has not chosen one. */
export function ClinicLanguage() {
  const found = useQuery(getIntegrationsLanguageOptions());
  const change = useMutation({
    ...putIntegrationsLanguageMutation(),
    onSuccess: () => sayDone(t`Saved.`),
    onSettled: useRefresh('integrations', 'account'),
  });
  return (
    <Section
      title={t`Language`}
      lead={t`Of this dashboard, for whoever has not chosen another one in the account menu. What the service itself says stays English.`}
    >
      <Loaded query={found} rows={1}>
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
