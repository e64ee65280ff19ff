/** What is left of a method's parameters when its first one, the context, is given. */
type Bound<Context, Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (context: Context, ...args: infer Args) => infer Result
    ? (...args: Args) => Result
    : never;
};

/** Gives each function of a store its first argument: what the store works with. */
export function bound<
  Context,
  // A function's parameters are compared the other way round: none but `never` takes all of them.
  Methods extends Record<string, (context: Context, ...args: never[]) => unknown>,
>(context: Context, methods: Methods): Bound<Context, Methods> {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: never[]) => method(context, ...args),
  ]);
  return Object.fromEntries(entries) as Bound<Context, Methods>;
}
