import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as api from '#api';
import { useAction } from '#forms';
import { useMay } from '#parts';
import { t } from '#texts';
import { sentenceAt } from './voice-values';

export type Contents = api.VoiceAccount;
type Finding = api.VoiceFinding;

const nothing: Contents = { findings: [], assistants: [], numbers: [] };

/** What the clinic's own account has to choose from: with the key that is kept, or with one that was typed since. */
export function useVoiceAccount({ hasApiKey }: Pick<api.VoiceSettings, 'hasApiKey'>) {
  const maySet = useMay()('settings');
  const kept = useQuery({
    queryKey: [{ _id: 'getIntegrationsVoiceAccount' }],
    queryFn: async ({ signal }) =>
      (await api.postIntegrationsVoiceAccount({ body: {}, signal, throwOnError: true })).data,
    enabled: hasApiKey && maySet,
    // The platform is not asked each time somebody comes back to the window.
    staleTime: 60_000,
  });
  const [taken, setTaken] = useState<{ apiKey: string; contents: Contents } | null>(null);
  const ask = useAction(api.postIntegrationsVoiceAccountMutation(), {
    onDone(contents, { body: { apiKey } }) {
      if (apiKey !== undefined && contents.findings.length === 0) setTaken({ apiKey, contents });
    },
  });
  return {
    contents: taken?.contents ?? kept.data ?? nothing,
    /** Whether a key of the clinic was taken, and so whether there is something to choose from. */
    isOpen: taken !== null || kept.data?.findings.length === 0,
    isAsking: ask.isPending || kept.isFetching,
    /** A key is kept, and whoever looks at the page may not have the platform asked. */
    isUnread: hasApiKey && !maySet,
    /** Why the key that is kept opens nothing. */
    keptFinding: taken === null ? kept.data?.findings[0] : undefined,
    /** The same of the key that was typed. */
    typedFinding: ask.data?.findings[0],
    /** Tries a key, which is not kept by that. */
    connect: (apiKey: string, onTaken: (contents: Contents) => void) =>
      ask.mutate(
        { body: { apiKey } },
        { onSuccess: (contents) => contents.findings.length === 0 && onTaken(contents) },
      ),
    askAgain: () => (taken ? ask.mutate({ body: { apiKey: taken.apiKey } }) : void kept.refetch()),
  };
}

export type VoiceAccount = ReturnType<typeof useVoiceAccount>;

const advice: Partial<Record<Finding['code'], string>> = {
  credentials_refused: t`The platform does not take this key. Copy the private key anew from your account there, and see that the account is paid for.`,
  platform_unavailable: t`The platform cannot be reached right now; try again in a minute.`,
};

/** It is not the key's fault then. */
export const isUnreachable = (finding: Finding | undefined): boolean => finding?.code === 'platform_unavailable';

/** Why there is nothing to choose from: in plain words, and in the platform's where it said anything. */
export const whyNot = (finding: Finding): string =>
  [advice[finding.code], finding.code !== 'platform_unavailable' && sentenceAt(finding)].filter(Boolean).join(' ');

interface Choice {
  value: string;
  label: string;
  disabled?: boolean;
}

/** The assistants of the account by name, and the one that is chosen. */
export const assistantChoices = (account: VoiceAccount, chosen: string | null): Choice[] =>
  withKept(
    toldApart(account.contents.assistants.map(({ id, name }) => ({ value: id, label: name ?? id }))),
    chosen,
    account,
  );

/** Its numbers as people of the clinic write them, and the one that is chosen. */
export const numberChoices = (
  account: VoiceAccount,
  chosen: string | null,
  written: (number: string) => string,
): Choice[] =>
  withKept(
    toldApart(
      account.contents.numbers.map(({ id, name, number, isActive }) => ({
        value: id,
        label: [written(number), name, isActive ? null : t`not active there`].filter(Boolean).join(' · '),
        disabled: !isActive,
      })),
    ),
    chosen,
    account,
  );

/** Two of one name are shown with their ids. */
const toldApart = (choices: Choice[]): Choice[] =>
  choices.map((choice) =>
    choices.filter(({ label }) => label === choice.label).length === 1
      ? choice
      : { ...choice, label: `${choice.label} (${choice.value})` },
  );

/** What is chosen stays in sight where it is none of the choices. */
export function withKept(choices: Choice[], kept: string | null, { isOpen }: VoiceAccount): Choice[] {
  if (!kept || choices.some(({ value }) => value === kept)) return choices;
  return [...choices, { value: kept, label: isOpen ? t`${kept} (not in this account)` : kept }];
}
