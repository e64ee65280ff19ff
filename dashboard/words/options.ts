/** What a select offers, from the words of each value. */
export const optionsOf = <Value extends string>(words: Record<Value, string>): { value: Value; label: string }[] =>
  (Object.entries(words) as [Value, string][]).map(([value, label]) => ({ value, label }));

/** A zone of time as people read it. */
export const zoneName = (zone: string): string => zone.replaceAll('_', ' ');
