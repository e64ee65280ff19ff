import { Phone } from '@clinic/shared/contracts/primitives';
import { z } from 'zod';
import type { AccountContents } from '../port';
import { askWith } from './ask';
import { createVapiClient, type VapiAccess } from './client';
import { readAll } from './pages';

const TIMEOUT_MS = 8_000;

const Name = z.string().trim().min(1).nullish().catch(null);
const Assistants = z.array(z.object({ id: z.string().min(1), name: Name }));
/** One that is reached by SIP alone has no number; nobody is called from it. */
const Numbers = z.array(
  z.object({
    id: z.string().min(1),
    name: Name,
    number: Phone.nullish().catch(null),
    status: z.string().nullish(),
  }),
);

/** The assistants and numbers of one account, by name. It changes nothing there. */
export async function readVapiAccount(access: VapiAccess, abortSignal?: AbortSignal): Promise<AccountContents> {
  const vapi = createVapiClient(access, { timeoutMs: TIMEOUT_MS });
  const ask = askWith(access.apiKey);
  const [assistants, numbers] = await Promise.all([
    ask(Assistants, () => readAll(async (query) => vapi.assistants.list(query, { abortSignal }))),
    ask(Numbers, () => readAll(async (query) => vapi.phoneNumbers.list(query, { abortSignal }))),
  ]);
  const failed = [assistants, numbers].flatMap((each) => (each.kind === 'found' ? [] : [each]));
  const said = failed.map((each) => each.said)[0] ?? '';
  if (failed.some(({ kind }) => kind === 'refused')) return { kind: 'refused', said };
  if (assistants.kind !== 'found' || numbers.kind !== 'found') return { kind: 'unavailable', said };
  return {
    kind: 'found',
    assistants: assistants.found.map(({ id, name = null }) => ({ id, name })).toSorted(byName),
    numbers: numbers.found
      .flatMap(({ id, name = null, number, status }) =>
        number ? [{ id, name, number, isActive: !status || status === 'active' }] : [],
      )
      .toSorted((one, other) => one.number.localeCompare(other.number)),
  };
}

const byName = (one: { id: string; name: string | null }, other: { id: string; name: string | null }): number =>
  (one.name ?? one.id).localeCompare(other.name ?? other.id);
