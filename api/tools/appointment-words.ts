import { refusal, type ToolAnswer, type ToolContext } from './tool';

/** What the tools on appointments say alike, wherever the appointments are kept. */
export const NOTHING_UPCOMING = refusal('no appointment on file');

export const UNKNOWN_PATIENT = refusal('The patient of this call is no longer on file.');

export const noSlots = (error: string): ToolAnswer => ({ result: { slots: [], success: false, error } });

export async function unknownProvider({ call, stores }: ToolContext): Promise<string> {
  const providers = await stores.providers.list(call.clinicId);
  const names = providers.map(({ displayName }) => displayName).join(', ');
  return names ? `There is no such provider here. The providers are ${names}.` : 'No provider takes appointments here.';
}

/** One provider for each time, in turn: a caller who takes any provider needs different times to choose from. */
export function takingTurns<Offer extends { providerName: string; startsAt: string }>(
  slots: Offer[],
  limit: number,
): Offer[] {
  const offers = new Map<string, number>();
  const offersOf = ({ providerName }: Offer) => offers.get(providerName) ?? 0;
  const times = [...new Set(slots.map(({ startsAt }) => startsAt))].slice(0, limit);
  return times.flatMap((time) => {
    const rivals = slots.filter(({ startsAt }) => startsAt === time);
    const [chosen] = rivals.toSorted((one, other) => offersOf(one) - offersOf(other));
    if (!chosen) return [];
    offers.set(chosen.providerName, offersOf(chosen) + 1);
    return [chosen];
  });
}
