const MOST = 10_000;

/** Keeps answers for a while. Whoever asks for one that is being fetched waits for the same answer; a failure is not kept. */
export class Remembered<Value> {
  private readonly entries = new Map<string, { value: Promise<Value>; until: number }>();

  constructor(private readonly keepMs: number) {}

  get(key: string, fetch: () => Promise<Value>): Promise<Value> {
    const now = Date.now();
    const known = this.entries.get(key);
    if (known && known.until > now) return known.value;
    if (this.entries.size >= MOST) this.entries.clear();
    const value = fetch();
    const entry = { value, until: now + this.keepMs };
    this.entries.set(key, entry);
    value.catch(() => this.entries.get(key) === entry && this.entries.delete(key));
    return value;
  }

  clear(): void {
    this.entries.clear();
  }
}
