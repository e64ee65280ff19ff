/** The import table of docs/architecture: which room may import which. `npm run rooms` checks it. */
const room = (name) => `^${name}/`;
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: '^(api|worker|workflows|temporal|activities|prisma|shared|dashboard|local|test)/', pathNot: allowed },
});

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'domain-is-pure',
      comment: 'shared/domain computes: no zod, no Node, no environment',
      severity: 'error',
      from: { path: '^shared/(domain/|errors\\.ts)' },
      to: {
        path: '^(node_modules/(zod|pino|pg)/|api|worker|workflows|temporal|activities|prisma|local|test)|^shared/(?!domain/|errors\\.ts)',
      },
    },
    {
      name: 'domain-without-node',
      severity: 'error',
      from: { path: '^shared/(domain|contracts)/|^shared/errors' },
      to: { dependencyTypes: ['core'] },
    },
    only('contracts', '^shared/contracts/', ['^shared/contracts/', '^shared/domain/', '^shared/errors\\.ts']),
    {
      name: 'voice-is-pure-but-for-messages',
      comment: 'only the shapes of messages need zod; what workflows import of shared/voice must not',
      severity: 'error',
      from: { path: '^shared/voice/', pathNot: '^shared/voice/(message|tool-definition)\\.ts' },
      to: { path: '^(node_modules/|shared/(?!domain/|voice/(?!message|tool-definition)))' },
    },
    {
      name: 'voice-without-node',
      severity: 'error',
      from: { path: '^shared/voice/' },
      to: { dependencyTypes: ['core'] },
    },
    only('shared', '^shared/', ['^shared/']),
    only('prisma', room('prisma'), ['^prisma/', '^shared/(?!outbound/)']),
    only('activities', room('activities'), ['^activities/', '^prisma/', '^shared/']),
    only('api', room('api'), ['^api/', '^prisma/', '^shared/', '^temporal/', '^workflows/(messages|ids)\\.ts']),
    only('worker', room('worker'), ['^worker/', '^activities/', '^workflows/', '^temporal/', '^prisma/', '^shared/']),
    only('temporal', room('temporal'), ['^temporal/', '^workflows/', '^shared/']),
    {
      ...only('workflows', room('workflows'), [
        '^workflows/',
        '^shared/(domain|contracts)/',
        '^shared/voice/(ended-reason|simulated-call)\\.ts',
        '^shared/errors\\.ts',
        '^activities/',
      ]),
      comment: 'of activities and contracts types only: test/workflows/bundle.test.ts asserts what is really bundled',
    },
    {
      name: 'workflows-never-reach-records',
      severity: 'error',
      from: { path: room('workflows') },
      to: { path: '^(prisma|api|worker|temporal|dashboard|local|test)/' },
    },
    {
      name: 'workflows-without-node',
      severity: 'error',
      from: { path: room('workflows') },
      to: { dependencyTypes: ['core'] },
    },
    {
      ...only('dashboard', room('dashboard'), ['^dashboard/']),
      comment: 'the dashboard knows the service through HTTP alone',
    },
    {
      name: 'nobody-imports-the-dashboard',
      severity: 'error',
      from: { pathNot: '^dashboard/' },
      to: { path: '^dashboard/' },
    },
    {
      name: 'stores-only-from-prisma',
      comment: 'rows and the generated client never leave prisma/',
      severity: 'error',
      from: { pathNot: '^(prisma|test|local)/' },
      to: { path: '^prisma/generated/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)node_modules/(?!@clinic)|^prisma/generated|^dashboard/(?:dist|http/client)/' },
    tsPreCompilationDeps: true,
    preserveSymlinks: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
