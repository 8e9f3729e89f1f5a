/**
 * The import directions between the layers. Type-only imports count: a type is knowledge too.
 * @type {import('dependency-cruiser').IConfiguration}
 */

/** What each layer may import of ours, beside itself. What is not listed may not be imported. */
const LAYERS = {
  workflows: [],
  scheduler: [],
  activities: ['^workflows/contract/(index|schema/index)\\.ts$', '^scheduler/index\\.ts$'],
  client: ['^workflows/contract/(index|schema/index)\\.ts$'],
  workers: [
    '^activities/(index|slot)\\.ts$',
    '^scheduler/index\\.ts$',
    '^client/index\\.ts$',
    '^workflows/contract/(index|schema/index)\\.ts$',
    '^infra/work-folder/index\\.ts$',
  ],
  infra: ['^workflows/contract/(index|schema/index)\\.ts$'],
};
const ANY_LAYER = `^(${[...Object.keys(LAYERS), 'test'].join('|')})/`;

const layerRules = Object.entries(LAYERS).map(([layer, allowed]) => ({
  name: `${layer}-imports`,
  severity: 'error',
  comment: `${layer}/ imports only itself${allowed.length === 0 ? '' : ` and ${allowed.join(', ')}`}`,
  from: { path: `^${layer}/` },
  to: { path: ANY_LAYER, pathNot: [`^${layer}/`, ...allowed] },
}));

module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'contract-is-its-own',
      severity: 'error',
      comment: 'The contract knows nothing of the workflows that keep it.',
      from: { path: '^workflows/contract/' },
      to: { path: '^workflows/', pathNot: '^workflows/contract/' },
    },
    {
      name: 'workflow-packages',
      severity: 'error',
      comment: 'Workflow code runs in a sandbox: only what Temporal made for it.',
      from: { path: '^workflows/', pathNot: '^workflows/contract/schema/' },
      to: {
        dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'core'],
        dependencyTypesNot: ['type-only'],
        pathNot: '@temporalio/(workflow|common)/',
      },
    },
    {
      name: 'no-zod-in-workflows',
      severity: 'error',
      comment: 'Schemas are for the edges; workflow code that imports more than their types bundles zod.',
      from: { path: '^workflows/', pathNot: '^workflows/contract/schema/' },
      to: { path: '^workflows/contract/schema/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'schema-packages',
      severity: 'error',
      comment: 'The schemas run at every edge, also in browsers.',
      from: { path: '^workflows/contract/schema/' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-no-pkg', 'core'], pathNot: '^node_modules/zod/' },
    },
    {
      name: 'scheduler-knows-no-temporal',
      severity: 'error',
      from: { path: '^scheduler/' },
      to: { path: 'node_modules/@temporalio/' },
    },
    {
      name: 'client-packages',
      severity: 'error',
      comment: 'The client is what other services install: it brings no worker and no browser.',
      from: { path: '^client/' },
      to: { path: 'node_modules/(@temporalio/(worker|activity)|playwright-core|pg)/' },
    },
    {
      name: 'e2e-from-outside',
      severity: 'error',
      comment: 'End-to-end and chaos tests use only what users have.',
      from: { path: '^test/(e2e|chaos)/' },
      to: {
        path: ANY_LAYER,
        pathNot: [
          '^test/(e2e|chaos|samples|support)/',
          '^client/index\\.ts$',
          '^workflows/contract/(index|schema/index)\\.ts$',
        ],
      },
    },
    {
      name: 'no-test-in-production',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'no-dev-packages-in-production',
      severity: 'error',
      comment: 'The gallery serves pages out of development packages, by path.',
      from: { path: `^(${Object.keys(LAYERS).join('|')})/` },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^@sparticuz/chromium$' },
    },
  ],
  options: {
    includeOnly: {
      path: ['^(workflows|activities|scheduler|client|workers|infra|test)/', 'node_modules', '^[a-z_/]+$'],
    },
    exclude: { path: ['^dist/', '^test/pages/'] },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    detectJSDocImports: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'types', 'default'],
    },
  },
};
