import './bootstrap/require-node.mjs'
import { join } from 'node:path'
import { bunPath } from './bootstrap/bun-path.mjs'
import { ensureInstalled } from './bootstrap/ensure-installed.mjs'
import { projectRoot } from './bootstrap/project-root.mjs'
import { runChild } from './bootstrap/run-child.mjs'

await ensureInstalled()
const { obtainPostgres } = await import('./postgres/obtain-postgres.mjs')
const postgres = await obtainPostgres(process.env)
const env = 'url' in postgres ? { ...process.env, TEST_POSTGRES_URL: postgres.url } : process.env
const script = join(projectRoot, 'test', 'downgrade', 'run-downgrade.ts')
let code = 1
try {
  code = (await runChild(bunPath(), [script, ...process.argv.slice(2)], { env })).code
} finally {
  if ('stop' in postgres) await postgres.stop()
}
process.exit(code)
