import { LRUCache } from 'lru-cache';

const MAX_ENTRIES = 10_000;

/** Keeps what was fetched for a while. Anyone who asks for what is being fetched waits for the same; a failure is not kept. */
export class Remembered<Value> {
  private readonly entries: LRUCache<string, Promise<Value>>;

  constructor(keepMs: number) {
    this.entries = new LRUCache({ max: MAX_ENTRIES, ttl: keepMs });
  }

  get(key: string, fetch: () => Promise<Value>): Promise<Value> {
    const known = this.entries.get(key);
    if (known) return known;
    const value = fetch();
    this.entries.set(key, value);
    value.catch(() => this.entries.peek(key) === value && this.entries.delete(key));
    return value;
  }

  forget(key: string): void {
    this.entries.delete(key);
  }

  clear(): void {
    this.entries.clear();
  }
}
