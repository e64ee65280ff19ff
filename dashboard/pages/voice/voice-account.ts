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
export function useVoiceAccount({ hasApiKey }: api.VoiceSettings) {
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

/** Why there is nothing to choose from: in plain words, and in the platform's. */
export const whyNot = (finding: Finding): string =>
  [advice[finding.code], sentenceAt(finding)].filter(Boolean).join(' ');

interface Thing {
  id: string;
  name: string | null;
}

/** What can be chosen, each by its name: by its id too where another has the same name. */
export function choicesOf<Item extends Thing>(
  items: readonly Item[],
  labelOf: (item: Item) => string,
  isDisabled: (item: Item) => boolean = () => false,
): { value: string; label: string; disabled: boolean }[] {
  const labels = items.map(labelOf);
  return items.map((item, index) => {
    const label = labels[index] ?? item.id;
    const isOne = labels.filter((each) => each === label).length === 1;
    return { value: item.id, label: isOne ? label : `${label} (${item.id})`, disabled: isDisabled(item) };
  });
}
