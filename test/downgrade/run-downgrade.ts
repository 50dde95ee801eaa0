import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildFormer, buildPresent, type FormerVersion, type Version } from './former-build.ts'
import { live, type Place, runCommand } from './version-life.ts'

/*
 * Downgrades between two real builds: the former version makes a database, the present one migrates and uses it, the
 * former one works on it again or refuses it, and the present one continues. Every answered request is charged once.
 */

const commit = process.argv[2]
if (commit === undefined) {
  process.stderr.write(
    'Name the commit or tag of the former version: npm run check-downgrade -- COMMIT\n',
  )
  process.exit(2)
}

const limited = { account: 'limited', value: 'limited-key-0123456789abcdef' }
const limitedKey =
  `keys create --account ${limited.account} --name limited --value ${limited.value} --daily 4 --monthly 4 --priority low --requests-per-minute 10000`.split(
    ' ',
  )
const folder = mkdtempSync(join(tmpdir(), 'tollgate-downgrade-'))
const made: { readonly server: string; readonly id: string }[] = []
const say = (text: string): void => void process.stdout.write(`${text}\n`)
try {
  const former = buildFormer(commit, folder)
  const present = buildPresent(folder)
  say(`${former.name} lacks ${former.unknown.join(', ') || 'no migration'}`)
  if (former.canStart && former.leavesBehind.length > 0)
    say(
      `Do not run "secret rotate" of ${former.name}: nobody could read ${former.leavesBehind.join(', ')} any more. Rotate with the present version.`,
    )
  for (const place of await places()) await downgrade(former, present, place)
  say('passed')
} finally {
  for (const { server, id } of made) await query(server, `DROP DATABASE ${id} WITH (FORCE)`)
  rmSync(folder, { recursive: true, force: true })
}

async function downgrade(former: FormerVersion, present: Version, place: Place): Promise<void> {
  say(`on ${place.database.split(':')[0]}`)
  const ids: string[] = []
  const use = async (
    version: Version,
    at = place,
    known = ids,
    keys: readonly string[] = [],
  ): Promise<void> => {
    known.push(...(await live(version, at, keys)))
    await expectLedger(version, at, known)
    say(`  ${version.name} answered, and its audit found every charge`)
  }
  await use(former)
  const beforeIds = [...ids]
  const backup = join(place.folder, 'before.tollgate')
  if (former.hasBackup) await expectCode(former, place, ['backup', backup], 0)
  await use(present)
  // A key that uses columns of the newer migrations. The former version must keep its ledger balanced, too.
  await expectCode(present, place, ['accounts', 'create', limited.account, '--credit', '5'], 0)
  await expectCode(present, place, limitedKey, 0)
  await use(present, place, ids, [limited.value])
  if (former.canStart) {
    await use(former, place, ids, [limited.value])
    await use(present, place, ids, [limited.value])
    return
  }
  const refused = await runCommand(former, place, ['serve', '--listen', '127.0.0.1:0'])
  if (refused.code !== 1 || !refused.err.includes('it was last used by a newer version'))
    throw new Error(`${former.name} was to refuse the database: ${refused.out}${refused.err}`)
  say(`  ${former.name} refuses the database: ${refused.err.trim()}`)
  await use(present, place, ids, [limited.value])
  if (!former.hasBackup) return
  const next = { ...place, database: await freshDatabase(place, 'restored') }
  await expectCode(former, next, ['restore', backup], 0)
  await use(former, next, beforeIds)
}

async function expectCode(
  version: Version,
  place: Place,
  args: readonly string[],
  code: number,
): Promise<void> {
  const done = await runCommand(version, place, args)
  if (done.code !== code)
    throw new Error(`${version.name}, ${args[0]}: code ${done.code}, ${done.out}${done.err}`)
}

async function expectLedger(version: Version, place: Place, ids: readonly string[]): Promise<void> {
  await expectCode(version, place, ['audit'], 0)
  const rows = await query(
    place.database,
    'SELECT request_id FROM entry WHERE request_id IS NOT NULL',
  )
  const charged = rows.map((row) => String(row['request_id']))
  const missing = ids.filter((id) => charged.filter((each) => each === id).length !== 1)
  if (missing.length > 0) throw new Error(`not charged once: ${missing.join(', ')}`)
}

async function places(): Promise<Place[]> {
  const sqlite = join(folder, 'sqlite')
  mkdirSync(sqlite)
  const here = { folder: sqlite, database: `sqlite://${join(sqlite, 'tollgate.db')}` }
  const server = process.env['TEST_POSTGRES_URL']
  if (server === undefined) {
    say('Postgres is not examined: there is no server; set TEST_POSTGRES_URL')
    return [here]
  }
  const postgres = { folder: join(folder, 'postgres'), database: server }
  mkdirSync(postgres.folder)
  return [here, { ...postgres, database: await freshDatabase(postgres, 'moved') }]
}

async function freshDatabase({ folder: own, database }: Place, name: string): Promise<string> {
  if (database.startsWith('sqlite:')) return `sqlite://${join(own, `${name}.db`)}`
  const id = `downgrade_${name}_${process.pid}_${Date.now()}`
  await query(database, `CREATE DATABASE ${id}`)
  const server = process.env['TEST_POSTGRES_URL'] ?? database
  made.push({ server, id })
  return database.replace(/\/[^/]+$/, `/${id}`)
}

async function query(database: string, text: string): Promise<Record<string, unknown>[]> {
  const sql = new Bun.SQL(database)
  try {
    return [...(await sql.unsafe(text))] as Record<string, unknown>[]
  } finally {
    await sql.close()
  }
}
