/** The import table of docs/architecture: which room may import which. `npm run rooms` checks it. */
const room = (name) => `^${name}/`;
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: {
    path: '^(api|worker|workflows|temporal|activities|gateways|prisma|accounts|sandbox|commands|shared|dashboard|local|test)/',
    pathNot: allowed,
  },
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
        path: '^(node_modules/(zod|pino|pg)/|api|worker|workflows|temporal|activities|gateways|prisma|accounts|sandbox|commands|local|test)|^shared/(?!domain/|errors\\.ts)',
      },
    },
    {
      name: 'domain-without-node',
      severity: 'error',
      from: { path: '^shared/(domain|contracts)/|^shared/errors' },
      to: { dependencyTypes: ['core'] },
    },
    only('contracts', '^shared/contracts/', ['^shared/contracts/', '^shared/domain/', '^shared/errors\\.ts']),
    only('shared', '^shared/', ['^shared/']),
    only('prisma', room('prisma'), ['^prisma/', '^shared/']),
    {
      ...only('gateways', room('gateways'), ['^gateways/', '^shared/', '^prisma/stores']),
      comment: 'of stores types only',
    },
    only('accounts', room('accounts'), ['^accounts/', '^shared/', '^prisma/']),
    {
      ...only('sandbox', room('sandbox'), ['^sandbox/', '^shared/', '^prisma/', '^api/http/', '^api/tools/tool\\.ts']),
      comment: 'of api what declares a route, and types: never another route',
    },
    only('commands', room('commands'), [
      '^commands/',
      '^accounts/',
      '^gateways/',
      '^temporal/',
      '^prisma/',
      '^shared/',
      '^api/tools/definitions\\.ts',
      '^workflows/ids\\.ts',
    ]),
    only('activities', room('activities'), ['^activities/', '^gateways/', '^prisma/', '^shared/']),
    only('api', room('api'), [
      '^api/',
      '^gateways/',
      '^accounts/',
      '^sandbox/',
      '^prisma/',
      '^shared/',
      '^temporal/',
      '^workflows/(messages|ids)\\.ts',
    ]),
    only('worker', room('worker'), [
      '^worker/',
      '^activities/',
      '^gateways/',
      '^workflows/',
      '^temporal/',
      '^prisma/',
      '^shared/',
    ]),
    only('temporal', room('temporal'), ['^temporal/', '^workflows/', '^shared/']),
    {
      ...only('workflows', room('workflows'), [
        '^workflows/',
        '^shared/(domain|contracts)/',
        '^shared/errors\\.ts',
        '^activities/',
      ]),
      comment: 'of activities and contracts types only: test/workflows/bundle.test.ts asserts what is really bundled',
    },
    {
      name: 'workflows-never-reach-records',
      severity: 'error',
      from: { path: room('workflows') },
      to: { path: '^(prisma|gateways|accounts|sandbox|commands|api|worker|temporal|dashboard|local|test)/' },
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
      from: { pathNot: '^(dashboard|test/dashboard)/' },
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
