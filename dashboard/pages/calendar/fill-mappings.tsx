import { Alert, Select, Stack } from '@mantine/core';
import * as api from '#api';
import { ActionButton, type FilledForm, Findings, useAction } from '#forms';
import { Section } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';
import type { Values } from './approved-api-values';

type Form = FilledForm<Values>;

/** Fills the three lists from the EHR; what it could not decide is chosen from what the EHR has. Nothing is kept before it is saved. */
export function FillMappings({ form, isSaved }: { form: Form; isSaved: boolean }) {
  const fill = useAction(api.postIntegrationsApprovedApiFillMutation(), {
    onDone({ providers, visitTypes, locations }) {
      form.setFieldValue('fhir.providers', providers);
      form.setFieldValue(
        'fhir.visitTypes',
        visitTypes.map(({ name, system = '', code }) => ({ name, system, code })),
      );
      form.setFieldValue('fhir.locations', locations);
    },
  });
  const { data: found } = fill;
  return (
    <Section
      title={t`Names in the EHR`}
      lead={t`Reads your EHR’s schedules, practitioners, services, locations and the types of past appointments, sets each of your names beside what is called so there, and tries each row. Nothing is changed there, and no data of patients is taken.`}
      gap="sm"
    >
      <ActionButton
        action={fill}
        request={{ body: {} }}
        disabled={!isSaved && !found}
        label={t`Fill from the EHR`}
        isForAdmins
      />
      {!isSaved && !found && <Quiet>{t`Save to fill.`}</Quiet>}
      <Stack gap="sm" role="status">
        {found && <Gaps form={form} found={found} />}
        {found && <Said findings={found.findings} />}
      </Stack>
    </Section>
  );
}

/** Your names that have no row yet, each with what the EHR has to choose from. */
function Gaps({ form, found: { missing, choices } }: { form: Form; found: api.FilledMappings }) {
  const { providers, visitTypes } = form.values.fhir;
  const people = missing.providers.filter((name) => !providers.some((row) => row.name === name));
  const types = missing.visitTypes.filter((name) => !visitTypes.some((row) => row.name === name));
  if (people.length + types.length === 0)
    return <Alert color="green" title={t`Each of your names has a row. Compare them, then save.`} />;
  return (
    <>
      {people.map((name) => (
        <Choice
          key={name}
          name={name}
          choices={choices.providers.map(({ reference, shown }) => `${shown} (${reference})`)}
          onChoose={(index) => {
            const { reference = '' } = choices.providers[index] ?? {};
            form.insertListItem('fhir.providers', { name, reference });
          }}
        />
      ))}
      {types.map((name) => (
        <Choice
          key={name}
          name={name}
          choices={choices.visitTypes.map(({ code, shown }) => `${shown} (${code})`)}
          onChoose={(index) => {
            const { system = '', code = '' } = choices.visitTypes[index] ?? {};
            form.insertListItem('fhir.visitTypes', { name, system, code });
          }}
        />
      ))}
    </>
  );
}

interface ChoiceProps {
  name: string;
  choices: string[];
  onChoose: (index: number) => void;
}

const Choice = ({ name, choices, onChoose }: ChoiceProps) => (
  <Select
    label={t`${name} in the EHR`}
    placeholder={choices.length > 0 ? t`Choose` : t`The EHR has none to choose from`}
    disabled={choices.length === 0}
    searchable
    data={choices.map((label, index) => ({ value: String(index), label }))}
    onChange={(value) => value !== null && onChoose(Number(value))}
  />
);

function Said({ findings }: Pick<api.FilledMappings, 'findings'>) {
  const problems = findings.filter(({ isProblem }) => isProblem);
  const notes = findings.filter(({ isProblem }) => !isProblem);
  return (
    <>
      {problems.length > 0 && <Findings title={t`What will not work`} color="red" findings={problems} />}
      {notes.length > 0 && <Findings title={t`What was found`} color="blue" findings={notes} />}
    </>
  );
}
