/** Whether the person is being asked to prove who they are: everything that waits for it goes on with one proof. */
let asked: { proved: Promise<boolean>; settle: (isProved: boolean) => void } | null = null;
const listeners = new Set<() => void>();

export const stepUp = {
  /** Asks; false where the person would rather not. */
  ask(): Promise<boolean> {
    if (asked) return asked.proved;
    let settle: (isProved: boolean) => void = () => undefined;
    const proved = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    asked = { proved, settle };
    for (const listener of listeners) listener();
    return proved;
  },
  settle(isProved: boolean): void {
    asked?.settle(isProved);
    asked = null;
    for (const listener of listeners) listener();
  },
  isAsked: (): boolean => asked !== null,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
