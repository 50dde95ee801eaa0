export type ModuleRule = {
  /** The modules that this one may import; `every` means all of them. */
  readonly imports: readonly string[] | 'every'
  /** A pure module opens no file, socket, process or thread. */
  readonly pure?: true
  /** The folders inside do not import each other; only the module's index.ts imports them all. */
  readonly foldersApart?: true
  /** Exceptions: these folders contain code that the others share. */
  readonly sharedFolders?: readonly string[]
  /** The npm packages that the module may import; absent means any. */
  readonly packages?: readonly string[]
}

/** The modules that own database tables; none of them imports another, except accounts. */
const owners = ['accounts', 'keys', 'catalog', 'ledger', 'usage', 'conversations', 'recording']
/** Outgoing messages and the alerts that cause them. No part of the request path imports them. */
const notices = ['outbox', 'alerts']

const definitions = [
  'accounts/definition',
  'keys/definition',
  'catalog/definition',
  'ledger/definition',
  'admin-tokens/definition',
  'alerts/definition',
  'recording/definition',
]

/**
 * The modules that each module inside src/ may import. A module may import modules above it, never a neighbour. A key
 * is a folder of src/, a file directly in src/, or a file or folder of a module with its own stricter rule. The longest
 * key that a path begins with applies.
 */
export const importTable: Readonly<Record<string, ModuleRule>> = {
  core: { imports: [], pure: true, packages: [] },
  wire: { imports: ['core'], pure: true, packages: [] },
  // The field types of managed objects. The browser imports them too.
  fields: { imports: ['core'], pure: true, packages: ['zod'] },
  protocols: {
    imports: ['core', 'wire'],
    pure: true,
    foldersApart: true,
    sharedFolders: ['fit', 'measure', 'openai', 'schema'],
  },
  vendors: { imports: ['core', 'wire', 'protocols'], foldersApart: true },
  // One definition of each managed object, in the module that owns it. The browser imports these as well.
  'accounts/definition': { imports: ['core', 'fields'], pure: true, packages: ['zod'] },
  'keys/definition': { imports: ['core', 'fields'], pure: true, packages: ['zod'] },
  'catalog/definition': { imports: ['core', 'fields'], pure: true, packages: ['zod'] },
  'ledger/definition': { imports: ['core', 'fields'], pure: true, packages: ['zod'] },
  'admin-tokens/definition': { imports: ['core', 'fields'], pure: true, packages: ['zod'] },
  'alerts/definition': { imports: ['core', 'fields'], pure: true, packages: ['zod'] },
  'recording/definition': { imports: ['core', 'fields'], pure: true, packages: ['zod'] },
  'config.ts': { imports: ['core', 'config'], packages: ['zod', 'yaml'] },
  config: { imports: ['core', 'fields', ...definitions], packages: ['zod', 'yaml'] },
  // Only wire parses JSON, so the modules that store or accept JSON may import wire.
  store: { imports: ['core', 'wire'] },
  // A membership that ends stops the keys of the member.
  accounts: { imports: ['core', 'wire', 'fields', 'store', 'keys'] },
  // A token has at most the current rights of its creator, so this module reads memberships.
  'admin-tokens': { imports: ['core', 'wire', 'fields', 'store', 'accounts'] },
  keys: { imports: ['core', 'wire', 'fields', 'store'] },
  catalog: { imports: ['core', 'wire', 'fields', 'store'] },
  ledger: { imports: ['core', 'wire', 'store'] },
  usage: { imports: ['core', 'wire', 'store'] },
  conversations: { imports: ['core', 'wire', 'store'] },
  recording: { imports: ['core', 'wire', 'fields', 'store'] },
  // Sends email and webhooks.
  outbox: { imports: ['core', 'wire', 'store', 'http-out', 'accounts/definition'] },
  // Finds out what to report, and puts it into the outbox.
  alerts: { imports: ['core', 'wire', 'fields', 'store', 'ledger', 'outbox'] },
  // The demo's own upstream stands for any vendor's, also in tests, so it shares no code with the protocols.
  'demo/upstream': { imports: ['core', 'wire'] },
  demo: { imports: ['core', 'config', 'store', 'accounts', 'keys', 'catalog', 'ledger', 'usage'] },
  provision: {
    imports: ['core', 'fields', 'config', 'config.ts', 'store', ...owners, 'alerts', 'demo'],
  },
  routing: { imports: ['core', 'catalog'], pure: true },
  limits: { imports: ['core', 'store'] },
  telemetry: { imports: ['core'] },
  'http-out': { imports: ['core', 'wire'] },
  gateway: {
    imports: [
      'core',
      'wire',
      'protocols',
      'vendors',
      'config.ts',
      'telemetry',
      'routing',
      'limits',
      'http-out',
      ...owners,
    ],
  },
  // The browser imports types of the contract and these constants; the schemas stay on the server.
  'console-api/contract': {
    imports: [
      'core',
      'fields',
      'console-api/contract/rules.ts',
      'console-api/contract/refusal-texts.ts',
      ...definitions,
    ],
    pure: true,
    packages: ['zod'],
  },
  'console-api/contract.ts': {
    imports: ['core', 'console-api/contract'],
    pure: true,
    packages: [],
  },
  'console-api/contract/rules.ts': {
    imports: ['core', 'fields'],
    pure: true,
    packages: [],
  },
  'console-api/contract/figures.ts': { imports: ['core'], pure: true, packages: [] },
  'console-api/contract/refusal-texts.ts': { imports: ['fields'], pure: true, packages: [] },
  'console-api': {
    imports: ['core', 'wire', 'fields', 'store', ...owners, ...notices, 'admin-tokens'],
    packages: ['hono', 'kysely', 'zod'],
  },
  'http-in': { imports: ['core', 'gateway', 'console-api', 'telemetry'] },
  // Assembles the parts and runs them.
  app: {
    imports: ['core', 'wire', 'protocols', 'vendors', 'config.ts', 'config', 'store']
      .concat(owners, notices, 'demo', 'provision', 'routing', 'limits', 'telemetry', 'http-out')
      .concat('gateway', 'console-api', 'http-in'),
  },
  cli: { imports: 'every' },
  'main.ts': { imports: 'every' },
}

/** The files of src/ that the browser app may import. */
export const consoleImports = [
  'src/console-api/contract.ts',
  'src/console-api/contract/rules.ts',
  'src/console-api/contract/figures.ts',
]
/** The folders of src/ that the browser app may import. */
export const consoleFolders = ['src/fields/', ...definitions.map((module) => `src/${module}/`)]
