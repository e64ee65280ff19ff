import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from '#parts';
import { t } from '#texts';
import { Quiet } from '#words';
import type { FilledForm } from '#forms';
import type { VoiceAccount } from './voice-account';
import type { Values } from './voice-values';

/** How a step stands: `later` asks for nothing yet, `optional` can be passed over. */
export type StepState = 'done' | 'now' | 'asking' | 'wrong' | 'optional' | 'later';

/** What every step in which something is chosen is given. */
export interface StepProps {
  form: FilledForm<Values>;
  account: VoiceAccount;
  state: StepState;
}

const marks: Record<StepState, { label: string; color: string }> = {
  done: { label: t`Done`, color: 'green' },
  now: { label: t`Next`, color: 'pine' },
  asking: { label: t`Asking…`, color: 'gray' },
  wrong: { label: t`Needs attention`, color: 'red' },
  optional: { label: t`Optional`, color: 'gray' },
  later: { label: t`Later`, color: 'gray' },
};

interface StepFrame {
  number: number;
  title: string;
  lead?: ReactNode;
  state: StepState;
  /** What it will ask and what has to be done before, where the step is for later. */
  after?: string;
  children: ReactNode;
}

/** One step of several on a page: its number, whether it holds, and nothing to fill in before its turn. */
export const Step = ({ number, title, lead, state, after, children }: StepFrame) => (
  <Section
    title={`${number}. ${title}`}
    lead={lead}
    actions={
      <Badge color={marks[state].color} data-step={state} role="status">
        {marks[state].label}
      </Badge>
    }
    isForAdmins
    gap="md"
  >
    {state === 'later' ? <Quiet>{after}</Quiet> : children}
  </Section>
);
