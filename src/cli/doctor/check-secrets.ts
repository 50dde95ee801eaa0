import { statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { readUpstreams } from '../../catalog/read-upstreams.ts'
import type { Config } from '../../config/config.ts'
import type { ReferencedSecret, ReferencedSecrets } from '../../config/referenced-secrets.ts'
import { storedDemoUrl } from '../../core/upstreams/stored-demo-url.ts'
import type { Engine } from '../../store/engine.ts'
import { type FailingSecret, readFailing } from '../../store/secrets/noted-secrets.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import type { CommandCall } from '../command.ts'
import { ageText } from './age-text.ts'
import { type DoctorFinding, fail, ok, warn } from './finding.ts'

const topic = 'secrets'

type Database = { readonly engine: Engine; readonly vault: Vault }

/** Secrets in files and programs: as this command reads them, and as the running replicas do. */
export async function checkSecrets(
  { config, secrets, context }: Pick<CommandCall, 'config' | 'secrets' | 'context'>,
  database: Database | undefined,
): Promise<DoctorFinding[]> {
  const nowMs = context.nowMs()
  const here = secrets.list.map((each) =>
    ok(topic, `${each.name} ${stateOf(each, context.cwd, nowMs)}`),
  )
  if (!database) return here
  return [
    ...here,
    ...(await findOutdated(config, secrets, database)),
    ...describeFailing(await readFailing(database.engine)),
  ]
}

export function describeFailing(
  failing: readonly (FailingSecret & { readonly replica: string })[],
): DoctorFinding[] {
  return failing.map(({ replica, name, sinceMs, why }) => {
    const since = new Date(sinceMs).toISOString()
    return fail(topic, `${replica} uses the former value of ${name} since ${since}: ${why}`)
  })
}

/** The configuration was read just now, so every secret can be read. */
function stateOf({ kind, text }: ReferencedSecret, cwd: string, nowMs: number): string {
  if (kind === 'exec') return 'prints a secret'
  const path = text.slice('file:'.length)
  const { mtimeMs } = statSync(isAbsolute(path) ? path : join(cwd, path))
  return `is readable, changed ${ageText(nowMs - mtimeMs)} ago`
}

/** Programs may print another secret each time, so only files are compared with what the gateway uses. */
async function findOutdated(
  { provision }: Config,
  { list }: ReferencedSecrets,
  { engine, vault }: Database,
): Promise<DoctorFinding[]> {
  const files = new Map(
    list.flatMap(({ kind, name, value }) => (kind === 'file' ? [[value, name] as const] : [])),
  )
  if (files.size === 0) return []
  const stored = await readUpstreams(engine, vault, storedDemoUrl)
  return provision.upstreams.flatMap(({ id, credentials = [] }) =>
    credentials.flatMap(({ name, value = '' }) => {
      const file = files.get(value)
      const used = stored.get(id)?.upstream.credentials.find((each) => each.name === name)
      if (file === undefined || !used || used.value === value) return []
      const text = `the credential "${name}" of the upstream "${id}" differs from ${file}; the gateway follows the file within seconds, or at its next start`
      return [warn(topic, text)]
    }),
  )
}
