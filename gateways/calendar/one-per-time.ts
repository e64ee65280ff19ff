/** One provider for each time, in turn: a caller who takes any provider needs different times to choose from. */
export function onePerTime<Slot extends { providerName: string; startsAt: string }>(
  slots: Slot[],
  limit: number,
): Slot[] {
  const offers = new Map<string, number>();
  const offersOf = ({ providerName }: Slot) => offers.get(providerName) ?? 0;
  const times = [...new Set(slots.map(({ startsAt }) => startsAt))].slice(0, limit);
  return times.flatMap((time) => {
    const rivals = slots.filter(({ startsAt }) => startsAt === time);
    const [chosen] = rivals.toSorted((one, other) => offersOf(one) - offersOf(other));
    if (!chosen) return [];
    offers.set(chosen.providerName, offersOf(chosen) + 1);
    return [chosen];
  });
}
