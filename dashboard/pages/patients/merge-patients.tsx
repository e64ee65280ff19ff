import { Button, List, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import * as api from '#api';
import { DialogEnd, useAction } from '#forms';
import { Loaded, sayDoneOrUndo, useEdits, Viewers } from '#parts';
import { plural, t, Trans } from '#texts';
import { Born, Moment, Name, nameOf, Phone } from '#words';
import { details } from './details';
import { countedRecords, mergedAreas, undoing } from './record-counts';

type Patient = api.PatientRecord;
type Field = api.PatientMerge['taken'][number];

interface ComparisonProps {
  /** Whose page it is. */
  patient: Patient;
  otherId: string;
  onClose: () => void;
}

/** Two records side by side, and what makes one of them. */
export function Comparison({ patient, otherId, onClose }: ComparisonProps) {
  useEdits();
  const found = useQuery(api.getPatientsByPatientIdOptions({ path: { patientId: otherId } }));
  const [chosenId, setChosenId] = useState<string | null>(null);
  return (
    <Loaded query={found} rows={6}>
      {(other) => {
        const keptId = chosenId ?? usuallyKept(patient, other).id;
        const [kept, replaced] = keptId === patient.id ? [patient, other] : [other, patient];
        return (
          <Stack>
            <Viewers />
            <Radio.Group label={t`Which record is kept?`} value={keptId} onChange={setChosenId}>
              <SimpleGrid cols={{ base: 1, xs: 2 }} mt={4} spacing="xs">
                <Radio
                  value={patient.id}
                  label={t`The record of this page`}
                  description={<Known patient={patient} />}
                />
                <Radio value={other.id} label={t`The other record`} description={<Known patient={other} />} />
              </SimpleGrid>
            </Radio.Group>
            <Choices key={keptId} kept={kept} other={replaced} onClose={onClose} />
          </Stack>
        );
      }}
    </Loaded>
  );
}

/** The one that another system knows by a number; of two alike the one whose page it is. */
const usuallyKept = (patient: Patient, other: Patient): Patient =>
  patient.identifier === null && other.identifier !== null ? other : patient;

const Known = ({ patient }: { patient: Patient }) => {
  const { identifier, dateOfBirth, phone, email, createdAt } = patient;
  return (
    <>
      {nameOf(patient)}
      {dateOfBirth && (
        <>
          {', '}
          <Trans>
            born <Born on={dateOfBirth} />
          </Trans>
        </>
      )}
      {phone && (
        <>
          {' · '}
          <Phone number={phone} />
        </>
      )}
      {[email, identifier].map((each) => each && ` · ${each}`)}
      {' · '}
      {t`on record since`} <Moment at={createdAt} near={false} />
    </>
  );
};

function Choices({ kept, other, onClose }: { kept: Patient; other: Patient; onClose: () => void }) {
  const navigate = useNavigate();
  const path = { patientId: kept.id };
  const differing = fieldNames.filter((field) => fields[field].of(other) && !isSame(kept, other, field));
  const [taken, setTaken] = useState(differing.filter((field) => !fields[field].of(kept)));
  const preview = useQuery({
    ...api.getPatientsByPatientIdMergeOptions({ path, query: { replaced: other.id } }),
    staleTime: 0,
  });
  const undo = useAction(api.postPatientMergesByMergeIdUndoMutation(), undoing);
  const merge = useAction(api.postPatientsByPatientIdMergeMutation(), {
    onDone({ id: mergeId }) {
      const made = t`The two records are one now. It can be undone for a day.`;
      sayDoneOrUndo(made, mergeId, () => undo.mutate({ path: { mergeId } }));
      onClose();
      void navigate(`/patients/${kept.id}`);
    },
    refresh: mergedAreas,
  });
  const choose = (field: Field, value: string) =>
    setTaken((now) => (value === OTHER ? [...now, field] : now.filter((each) => each !== field)));
  return (
    <>
      <Text size="sm">{t`All that is on the record that is not kept moves to the one that is kept, and only that one is found from then on.`}</Text>
      {differing.map((field) => (
        <Radio.Group
          key={field}
          label={fields[field].label}
          value={taken.includes(field) ? OTHER : KEPT}
          onChange={(value) => choose(field, value)}
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} mt={4} spacing="xs" style={{ overflowWrap: 'anywhere' }}>
            <Radio value={KEPT} description={t`The record that is kept`} label={shownOf(kept, field)} />
            <Radio value={OTHER} description={t`The record that is not kept`} label={shownOf(other, field)} />
          </SimpleGrid>
        </Radio.Group>
      ))}
      <Loaded query={preview} rows={2}>
        {(found) => <Consequences preview={found} />}
      </Loaded>
      <DialogEnd onClose={onClose}>
        <Button
          disabled={!preview.isSuccess}
          loading={merge.isPending}
          onClick={() => merge.mutate({ path, body: { replaced: other.id, take: taken } })}
        >
          {t`Merge`}
        </Button>
      </DialogEnd>
    </>
  );
}

const isSame = (one: Patient, other: Patient, field: Field) => fields[field].of(one) === fields[field].of(other);

const KEPT = 'kept';
const OTHER = 'other';

const Consequences = ({ preview: { moves, openWorkflows } }: { preview: api.PatientMergePreview }) => {
  const counted = countedRecords(moves);
  return (
    <Stack gap="xs">
      <Name>{t`What moves to the record that is kept`}</Name>
      <List size="sm">
        <List.Item>
          {counted.length > 0 ? counted.join(', ') : t`nothing: there is nothing on the record that is not kept`}
        </List.Item>
        {openWorkflows > 0 && (
          <List.Item>
            {plural(openWorkflows, { one: '# workflow goes on for it', other: '# workflows go on for it' })}
          </List.Item>
        )}
      </List>
      <Text size="sm">{t`“Do not call” and a refusal to be contacted hold for both from now on, and stay so if it is undone.`}</Text>
    </Stack>
  );
};

interface Choice {
  label: string;
  /** Null: nothing is on file. */
  of: (patient: Patient) => string | null;
  /** As it is written unless said. */
  shown?: (value: string) => ReactNode;
}

/** In the order of the dialog. */
const fields: Record<Field, Choice> = {
  name: { label: t`Name`, of: (patient) => (patient.firstName || patient.lastName ? nameOf(patient) : null) },
  dateOfBirth: {
    label: details.dateOfBirth.label,
    of: ({ dateOfBirth }) => dateOfBirth,
    shown: (on) => <Born on={on} />,
  },
  phone: { label: details.phone.label, of: ({ phone }) => phone, shown: (number) => <Phone number={number} /> },
  email: { label: details.email.label, of: ({ email }) => email },
  address: { label: details.address.label, of: ({ address }) => address },
  reasonForVisit: { label: t`Reason for visit`, of: ({ reasonForVisit }) => reasonForVisit },
  preferredLocation: { label: t`Preferred location`, of: ({ registration }) => registration.preferredLocation },
  medicareStatus: { label: t`Medicare status`, of: ({ registration }) => registration.medicareStatus },
  healthPlanName: { label: t`Health plan`, of: ({ registration }) => registration.healthPlanName },
  referralSource: { label: t`Referral source`, of: ({ registration }) => registration.referralSource },
  insurance: { label: t`Insurance`, of: ({ insurance }) => said(insurance) },
  selfPay: { label: t`Self-pay`, of: ({ selfPay }) => said(selfPay) },
};

const fieldNames = Object.keys(fields) as Field[];

const said = (facts: Record<string, unknown> | null): string | null =>
  facts &&
  Object.values(facts)
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .join(', ');

const shownOf = (patient: Patient, field: Field): ReactNode => {
  const { of, shown = (value: string): ReactNode => value } = fields[field];
  const value = of(patient);
  return value ? shown(value) : t`nothing on file`;
};
