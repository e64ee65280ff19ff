import { Autocomplete } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import * as api from '#api';
import { t } from '#texts';
import { isForNewPatients, proposedVisitType } from './proposed-visit-type';

interface VisitOf {
  providers: api.Provider[];
  /** Null while any provider will do. */
  providerName: string | null;
  /** Has not been here, and is not booked. */
  isNew: boolean;
}

/** What a visit is for. One is proposed until another is chosen or typed, by whether the patient has been here or is booked. */
export interface ChosenVisitType {
  /** Empty where it was taken out: there is no visit without it. */
  visitType: string;
  /** Of its provider, or of all. */
  types: string[];
  /** Who has no visit for a patient who has not been here, though others do. */
  withoutNew: string | undefined;
  choose: (visitType: string) => void;
  /** Whether one was chosen or typed. */
  isDirty: boolean;
}

/** The visits of a patient, the latest first; undefined while nobody is chosen. */
export const useVisits = (patientId = '') =>
  useQuery({ ...api.getAppointmentsOptions({ query: { patientId, limit: 20 } }), enabled: patientId !== '' }).data
    ?.items;

/** Whether a patient has not been here, and is not booked. False while nobody is chosen. */
export function useIsNew(patientId = ''): boolean {
  const hasVisit = useVisits(patientId)?.some(({ status }) => status !== 'cancelled' && status !== 'noshow');
  return hasVisit === false;
}

/** The names of those who have visits for new patients; undefined where nobody has. */
export function seeingNew(providers: api.Provider[]): string[] | undefined {
  const names = providers.filter(({ visitTypes }) => visitTypes.some(isForNewPatients)).map(({ name }) => name);
  return names.length > 0 ? names : undefined;
}

export function useVisitType({ providers, providerName, isNew }: VisitOf): ChosenVisitType {
  const [chosen, choose] = useState<string | null>(null);
  const ofProvider = providers.find(({ name }) => name === providerName);
  const ofAll = [...new Set(providers.flatMap(({ visitTypes }) => visitTypes))];
  const types = ofProvider?.visitTypes ?? ofAll;
  const lacksNew = isNew && ofAll.some(isForNewPatients) && !types.some(isForNewPatients);
  const visitType = (chosen ?? proposedVisitType(types, { isNew })).trimStart();
  return {
    visitType,
    types,
    withoutNew: lacksNew ? ofProvider?.displayName : undefined,
    choose,
    isDirty: chosen !== null,
  };
}

/** One of its provider's types, or words of one's own. */
export const VisitType = ({
  of: { visitType, types, withoutNew, choose },
  error,
}: {
  of: ChosenVisitType;
  error?: ReactNode;
}) => (
  <Autocomplete
    label={t`Visit`}
    description={withoutNew && t`${withoutNew} has no visits for new patients.`}
    data={types}
    // The one that is chosen does not hide the others.
    filter={types.includes(visitType) ? ({ options }) => options : undefined}
    value={visitType}
    maxLength={200}
    onChange={choose}
    error={error}
  />
);
