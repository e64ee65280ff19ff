import { Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import type { FilledForm } from '#forms';
import { AdminOnly, useMay } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';
import type { Values } from './approved-api-values';

/** What visits are called on record and at the EHR, which is asked once while the pages are open, and again when settings change. */
export function useKnownVisitTypes({ isWanted = true }: { isWanted?: boolean } = {}) {
  const maySet = useMay()('settings');
  return useQuery({ ...api.getIntegrationsVisitTypesOptions(), staleTime: Infinity, enabled: maySet && isWanted });
}

/** Their names alone, those on record first. */
export const namesOf = (known: api.KnownVisitTypes | undefined): string[] => [
  ...new Set([...(known?.here ?? []), ...(known?.there ?? []).map(({ shown }) => shown)]),
];

/** Rows for the visit types that the EHR has and that no row names yet. */
export function OfferedVisitTypes({ form, isSaved }: { form: FilledForm<Values>; isSaved: boolean }) {
  const { data: known, isFetching } = useKnownVisitTypes({ isWanted: isSaved });
  const { visitTypes: rows } = form.values.fhir;
  const left = (known?.there ?? []).filter(
    ({ system = '', code }) => !rows.some((row) => row.system === system && row.code === code),
  );
  const add = ({ system = '', code, shown }: api.KnownVisitTypes['there'][number]) => {
    const name = known?.here.find((each) => each.toLowerCase() === shown.toLowerCase()) ?? shown;
    form.insertListItem('fhir.visitTypes', { name, system, code });
  };
  const nothingLeft = known ? t`Each that it has is in the list` : t`Not read yet`;
  const placeholder = left.length > 0 ? t`Choose` : isFetching ? t`Reading your EHR…` : nothingLeft;
  return (
    <Stack gap={4} px="md" pt="md">
      <AdminOnly>
        <Select
          // What was chosen is a row now; the next choice begins anew.
          key={rows.length}
          label={t`Add one that your EHR has`}
          placeholder={placeholder}
          searchable
          disabled={left.length === 0}
          data={left.map(({ code, shown }, index) => ({ value: String(index), label: `${shown} (${code})` }))}
          onChange={(index) => {
            const chosen = index === null ? undefined : left[Number(index)];
            if (chosen) add(chosen);
          }}
        />
      </AdminOnly>
      {!isSaved && !known && (
        <Quiet>{t`Save to choose from your EHR. You can type one that is not in the EHR yet.`}</Quiet>
      )}
      {/* Where nothing was read each part of it says the same; the check says why. */}
      {known?.there.length === 0 && known.findings.length > 1 ? (
        <Quiet>{t`Nothing could be read from your EHR: check it, above.`}</Quiet>
      ) : (
        (known?.findings ?? []).map(({ message }) => <Quiet key={message}>{message}</Quiet>)
      )}
    </Stack>
  );
}
