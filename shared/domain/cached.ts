/** Returns what the cache holds, or makes the value and keeps it; the oldest entry leaves when the cache is full. */
export function cached<Key, Value>(cache: Map<Key, Value>, limit: number, key: Key, make: () => Value): Value {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = make();
  if (cache.size >= limit) {
    const oldest = cache.keys().next();
    if (!oldest.done) cache.delete(oldest.value);
  }
  cache.set(key, value);
  return value;
}
