/** What takes too long for `npm test`, each with a line that says what it is for. */
const proofs = {
  attacks:
    'a password spray, hostile sign-ins and a search for a date of birth against the default limits (docs/security.md)',
  bench: 'load and latency, as ratios beside a baseline in the same run (docs/extend.md)',
  calling: 'what is promised of the dialer, in full size (docs/calling.md)',
  drills: 'the loss of Temporal, or of PostgreSQL to its backup (docs/operate.md)',
  faults: 'faults of processes, networks and receivers while load runs (docs/reliability.md)',
  fuzz: 'what the OpenAPI document allows and forbids, to every route (docs/fuzzing.md)',
  looks: 'pictures of every page of the dashboard, and what a program finds wrong in them (docs/testing.md)',
  mutation: 'faults drawn by a seed that the tests should notice (docs/testing.md)',
  size: 'the engines that so many clinics need, from the last measurement (docs/scale.md)',
  releases: 'two releases at work side by side, and open runs moved between them (docs/operate.md)',
} as const;

type Proof = keyof typeof proofs;

const isProof = (name: string | undefined): name is Proof => name !== undefined && Object.hasOwn(proofs, name);

/** `npm run prove -- NAME [options]`. */
async function prove([name, ...args]: string[]): Promise<void> {
  if (!isProof(name)) {
    const lines = Object.entries(proofs).map(([each, what]) => `  ${each.padEnd(10)} ${what}`);
    throw new Error(`Usage: npm run prove -- NAME [options]\n\n${lines.join('\n')}`);
  }
  const proof = (await import(`./${name}/main`)) as { main(args: string[]): Promise<void> };
  await proof.main(args);
}

prove(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
