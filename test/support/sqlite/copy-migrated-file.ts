import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../../src/store/migrations/list.ts'
import { migrate } from '../../../src/store/migrations/migrate.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { atEnd } from '../at-end.ts'

let template: Promise<string> | undefined

/** Creates a database with the schema and no rows at `path`. The file is made once per process and then copied. */
export async function copyMigratedFile(path: string): Promise<void> {
  template ??= makeTemplate()
  copyFileSync(await template, path)
}

async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-template-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'template.db')
  const engine = await openStore(`sqlite://${path}`)
  await migrate(engine, migrations, 1)
  await engine.close()
  return path
}
