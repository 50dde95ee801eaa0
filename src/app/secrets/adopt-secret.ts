import { replaceValue } from '../../catalog/credential-store.ts'
import type { Config } from '../../config/config.ts'
import { withoutUser } from '../../config/mask.ts'
import type { ReferencedSecrets } from '../../config/referenced-secrets.ts'
import { systemRandom } from '../../core/id.ts'
import { provisionActor } from '../../provision/provision-deps.ts'
import { recordAudit } from '../../store/changes/audit.ts'
import { write } from '../../store/changes/write.ts'
import type { Engine } from '../../store/engine.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import type { OpenLimits } from '../node/open-limits.ts'

/** The configuration with the present values of its secrets. The parts that use a secret read it when they need it. */
export interface LiveConfig {
  config: Config
}

export interface AdoptDeps {
  readonly live: LiveConfig
  readonly secrets: ReferencedSecrets
  readonly engine: Engine
  readonly vault: Vault
  readonly rateLimits: Pick<OpenLimits, 'changeUrl'>
  readonly nowMs: () => number
}

/**
 * Puts the new value of a reference into force. Credentials of upstreams go to the database, so that every replica uses
 * them; settings change in this process. Everything else of the configuration stays as it was at the start.
 */
export function adoptSecret(deps: AdoptDeps): (text: string, value: string) => Promise<void> {
  let values = new Map(deps.secrets.list.map(({ text, value }) => [text, value]))
  let last: Promise<void> = Promise.resolve()
  const adopt = async (text: string, value: string): Promise<void> => {
    const wanted = new Map(values).set(text, value)
    const config = deps.secrets.rebuild(wanted)
    await changeUrls(deps, config)
    await storeCredentials(deps, changedCredentials(deps.live.config, config))
    deps.live.config = config
    values = wanted
  }
  return (text, value) => {
    const done = last.then(() => adopt(text, value))
    last = done.catch(() => undefined)
    return done
  }
}

/**
 * The database and the server of rate limits get a new user or password. Another server or database needs a restart; a
 * read replica may be replaced.
 */
async function changeUrls(
  { live, engine, rateLimits }: AdoptDeps,
  { database, readDatabase, limits }: Config,
): Promise<void> {
  const former = live.config
  checkPlace('database', former.database, database)
  checkPlace('limits', former.limits, limits)
  if (database !== former.database) await engine.changeUrl?.(database)
  if (readDatabase !== undefined && readDatabase !== former.readDatabase)
    engine.changeReadUrl?.(readDatabase)
  if (limits !== undefined && limits !== former.limits) await rateLimits.changeUrl(limits)
}

/** Balances, leases and the journal belong to one database. */
function checkPlace(setting: string, former: string | undefined, next: string | undefined): void {
  if ((former && withoutUser(former)) === (next && withoutUser(next))) return
  throw new Error(
    `only the user and the password of ${setting} can change while the gateway runs; restart it to use another server or database`,
  )
}

interface ChangedCredential {
  readonly upstream: { readonly id: string; readonly baseUrl: string }
  readonly name: string
  readonly value: string
}

/** Both come from the same file, so their entries have the same order. */
function changedCredentials(before: Config, after: Config): ChangedCredential[] {
  return after.provision.upstreams.flatMap(({ id, baseUrl, credentials = [] }, index) => {
    const former = before.provision.upstreams[index]?.credentials
    return credentials.flatMap(({ name, value }, position) =>
      value === undefined || value === former?.[position]?.value
        ? []
        : [{ upstream: { id, baseUrl }, name, value }],
    )
  })
}

async function storeCredentials(
  { engine, vault, nowMs }: AdoptDeps,
  changed: readonly ChangedCredential[],
): Promise<void> {
  if (changed.length === 0) return
  const tools = { vault, random: systemRandom, nowMs }
  await write(engine, nowMs(), async (writing) => {
    for (const { upstream, name, value } of changed) {
      if (!(await replaceValue(writing, tools, upstream, { name, value }))) continue
      const { id: subject } = upstream
      const entry = { at: nowMs(), actor: provisionActor, action: 'upstream.changed', subject }
      await recordAudit(writing, entry)
    }
  })
}
