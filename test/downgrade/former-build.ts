import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { sealedColumns } from '../../src/app/secrets/sealed-columns.ts'
import { migrations } from '../../src/store/migrations/list.ts'

const root = join(import.meta.dirname, '..', '..')

/** A version of the gateway that can be started. */
export interface Version {
  readonly name: string
  /** The built program. */
  readonly main: string
}

export interface FormerVersion extends Version {
  /** Migrations of the present version that it does not know. */
  readonly unknown: readonly string[]
  /** Whether it works on a database that has all migrations of the present version. */
  readonly canStart: boolean
  readonly hasBackup: boolean
  /** Sealed columns that its `secret rotate` would not seal again, so that nobody could read them. */
  readonly leavesBehind: readonly string[]
}

/** Checks a commit out into the folder and builds it there with its own build. */
export function buildFormer(commit: string, folder: string): FormerVersion {
  const place = join(folder, 'former')
  mkdirSync(place)
  const archive = run(
    'git',
    ['archive', '--format=tar', '-o', join(folder, 'former.tar'), commit],
    root,
  )
  if (archive !== '') process.stdout.write(archive)
  run('tar', ['-xf', join(folder, 'former.tar'), '-C', place], root)
  installIn(place)
  const unknown = migrations.filter(({ id }) => !readIds(place).has(id))
  const readsMinimum = read(place, 'src/store/migrations/migrate.ts').includes('minimum-reader')
  return {
    name: `the former version (${run('git', ['rev-parse', '--short', commit], root).trim()})`,
    main: build(place),
    unknown: unknown.map(({ id }) => id),
    canStart: unknown.every(({ isAdditive }) => isAdditive === true && readsMinimum),
    hasBackup: existsSync(join(place, 'src/cli/commands/backup.ts')),
    leavesBehind: leftBehind(place),
  }
}

/** None if the version has no such command, or refuses a database with migrations that it does not know. */
function leftBehind(place: string): string[] {
  const command = 'src/cli/commands/secret-rotate.ts'
  if (!existsSync(join(place, command)) || read(place, command).includes('planMigrations'))
    return []
  const known = read(place, 'src/app/secrets/sealed-columns.ts')
  return sealedColumns
    .filter(
      ({ table, column }) => !known.includes(`table: '${table}', `) || !known.includes(column),
    )
    .map(({ table, column }) => `${table}.${column}`)
}

export function buildPresent(folder: string): Version {
  // A copy, so that a later change of the sources does not replace it while it runs.
  const place = join(folder, 'present')
  build(root)
  cpSync(join(root, 'build'), place, {
    recursive: true,
    filter: (path) => !path.includes('package'),
  })
  return { name: 'the present version', main: join(place, 'main.js') }
}

/** Packages are shared when both versions want the same ones; otherwise npm installs those of the former version. */
function installIn(place: string): void {
  const wanted = (folder: string) =>
    JSON.stringify(
      (JSON.parse(read(folder, 'package.json')) as { dependencies: unknown }).dependencies,
    )
  if (wanted(place) === wanted(root))
    symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
  else run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], place)
}

function build(place: string): string {
  const script =
    "const { ensureServerBuilt } = await import('./tools/bootstrap/ensure-server-built.mjs'); await ensureServerBuilt()"
  run('node', ['--input-type=module', '-e', script], place)
  return join(place, 'build', 'main.js')
}

function readIds(place: string): Set<string> {
  const folder = join(place, 'src/store/migrations')
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/^ {2}id: '([^']+)'/gm)].map(([, id = '']) => id)),
  )
}

function read(place: string, path: string): string {
  return readFileSync(join(place, path), 'utf8')
}

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status === 0) return stdout
  throw new Error(`${program} ${args.join(' ')}: ${stderr}${error?.message ?? ''}`)
}
