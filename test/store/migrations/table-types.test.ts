import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { engineFixtures } from '../../support/store/engine-fixture.ts'

const tables = join(import.meta.dirname, '..', '..', '..', 'src', 'store', 'tables')
const sources = [...new Glob('*tables.ts').scanSync(tables)]
  .map((name) => readFileSync(join(tables, name), 'utf8'))
  .join('\n')

/** Only Postgres lists default partitions, and a generated column that only the search reads. */
const partition = /_rest$/
const generated = 'search_text'

/** The interfaces in the source text, because types do not exist at run time. */
const interfaces = new Map(
  [...sources.matchAll(/^export interface (\w+)([^{]*)\{\n(.*?)^\}/gms)].map(
    ([, name = '', heritage = '', body = '']) => [name, { heritage, body }],
  ),
)

function membersOf(name: string): string[] {
  const { heritage, body } = interfaces.get(name) ?? { heritage: '', body: '' }
  const own = [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, member = '']) => member)
  const [, omitted, left = ''] = /extends Omit<(\w+), ([^>]+)>/.exec(heritage) ?? []
  if (omitted !== undefined)
    own.push(...membersOf(omitted).filter((member) => !left.includes(`'${member}'`)))
  else own.push(...parentsOf(heritage).flatMap(membersOf))
  return own.toSorted()
}

function parentsOf(heritage: string): string[] {
  return [...heritage.replace('extends', '').matchAll(/\w+/g)].map(([parent]) => parent)
}

function typesOfTables(name = 'Tables'): [table: string, type: string][] {
  const { heritage = '', body = '' } = interfaces.get(name) ?? {}
  const own = [...body.matchAll(/^ {2}(\w+): (\w+)$/gm)].map(
    ([, table = '', type = '']): [string, string] => [table, type],
  )
  return [...own, ...parentsOf(heritage).flatMap(typesOfTables)]
}

describe.each(engineFixtures('table-types'))('src/store/tables/tables.ts on $kind', (fixture) => {
  test('has every table and every column of the migrations, and no others', async () => {
    const engine = await fixture.open(await fixture.freshUrl())
    await migrate(engine, migrations, 1)
    const found = await engine.db.introspection.getTables()
    const columns = found
      .filter(({ name }) => name !== 'migration' && !partition.test(name))
      .map(({ name, columns: all }): [string, string[]] => {
        const kept = all.map((column) => column.name).filter((each) => each !== generated)
        return [name, kept.toSorted()]
      })
    const declared = typesOfTables().map(([table, type]) => [table, membersOf(type)])
    expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(columns))
  })
})
