/**
 * Work of one key goes one after the other in this process, in the order in which it came; that of other keys beside it. A
 * failure is its own work's alone.
 */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const result = (last.get(key) ?? Promise.resolve()).then(work);
    const over: Promise<unknown> = result
      .catch(() => undefined)
      .finally(() => last.get(key) === over && last.delete(key));
    last.set(key, over);
    return result;
  };
}
