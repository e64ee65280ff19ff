import { Autocomplete } from '@mantine/core';
import type * as api from '#api';
import { t } from '#texts';

interface VisitTypeProps {
  providers: api.Provider[];
  /** Null while any provider will do. */
  providerName: string | null;
  value: string;
  onChange: (visitType: string) => void;
  label?: string;
}

/** What a visit is for: one of its provider's types, or words of one's own. */
export function VisitType({ providers, providerName, value, onChange }: VisitTypeProps) {
  const ofProvider = providers.find(({ name }) => name === providerName);
  return (
    <Autocomplete
      label={t`Visit`}
      placeholder={t`Follow-up consultation`}
      data={ofProvider?.visitTypes ?? [...new Set(providers.flatMap(({ visitTypes }) => visitTypes))]}
      value={value}
      maxLength={200}
      onChange={onChange}
    />
  );
}
