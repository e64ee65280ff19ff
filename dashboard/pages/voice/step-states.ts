import type * as api from '#api';
import type { FilledForm } from '#forms';
import { isUnreachable, type VoiceAccount } from './voice-account';
import type { StepState } from './voice-step';
import type { Values } from './voice-values';

type Form = FilledForm<Values>;

interface Standing {
  settings: api.VoiceSettings;
  form: Form;
  account: VoiceAccount;
  /** What the check has said since the page was opened. */
  passed: boolean | undefined;
}

type StepName = 'account' | 'assistant' | 'number' | 'check' | 'calls';

/** How each step stands, by what is filled in, what the account has, and what the check said. */
export function statesOf({ settings, form, account, passed }: Standing): Record<StepName, StepState> {
  const { values } = form;
  const { isOpen, contents } = account;
  const isOwn = values.account === 'own';
  const assistants = [values.assistantId, ...Object.values(values.assistants)].filter((id) => id !== '');
  const numbers = values.phoneNumberId === null ? [] : [values.phoneNumberId];

  const stateOf = (ids: string[], among: readonly { id: string }[], field: string): StepState => {
    if (isWrong(form, field)) return 'wrong';
    if (!isOwn) return ids.length > 0 ? 'done' : 'optional';
    if (!isOpen && !settings.hasApiKey) return 'later';
    const isThere = ids.every((id) => among.some((each) => each.id === id));
    if (isOpen && (among.length === 0 || !isThere)) return 'wrong';
    return ids.length > 0 ? 'done' : 'now';
  };
  const assistant = stateOf(assistants, contents.assistants, 'assistant');
  const number = stateOf(numbers, contents.numbers, 'phoneNumberId');
  // What is chosen and does not hold can be tried all the same: the service says what is wrong with it.
  const isChosen = !isOwn || ((isOpen || settings.hasApiKey) && assistants.length > 0 && numbers.length > 0);
  const isKept = !isOwn || settings.hasApiKey;
  return {
    account: accountState({ form, account }),
    assistant,
    number,
    check: !isChosen || !isKept ? 'later' : passed === undefined ? 'now' : passed ? 'done' : 'wrong',
    calls: settings.provider !== 'simulator' ? 'done' : isChosen ? 'now' : 'later',
  };
}

function accountState({ form, account }: Pick<Standing, 'form' | 'account'>): StepState {
  const { isOpen, isAsking, isUnread, keptFinding, typedFinding } = account;
  if (isAsking) return 'asking';
  if (form.values.account !== 'own' || isOpen || isUnread) return 'done';
  if (isUnreachable(typedFinding ?? keptFinding)) return 'now';
  return keptFinding || typedFinding || isWrong(form, 'apiKey') ? 'wrong' : 'now';
}

const isWrong = ({ errors }: Form, field: string): boolean =>
  Object.keys(errors).some((path) => path.startsWith(field));
