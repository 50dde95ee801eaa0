import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import type { Config, EnvironmentCredentials } from './config.ts'
import { ConfigProblem } from './config-problem.ts'
import { entry } from './entry-fields.ts'
import { explainIssues } from './explain-issue.ts'
import { freezeDeep } from './freeze-deep.ts'
import { maskUrl } from './mask.ts'
import { suggestName } from './nearest-name.ts'
import { type FileQuestion, openConfigFile } from './open-config-file.ts'
import { readOpenId } from './open-id-settings.ts'
import { emptyProvision, readProvision, type VendorFacts } from './read-provision.ts'
import { tokenVariable, urlVariable } from './remote-variables.ts'
import { type Resolved, resolveSetting, type Sources } from './resolve-setting.ts'
import { createSecretReader, type Environment } from './secret-reader.ts'
import type { Setting } from './setting.ts'
import { configFileSetting, provisionName, settings } from './settings.ts'
import type { YamlFile } from './yaml-file.ts'

const dayMs = 24 * 60 * 60 * 1000

export interface ConfigQuestion extends FileQuestion {
  readonly vendors: ReadonlyMap<string, VendorFacts>
}

const ownPrefix = 'TOLLGATE_'
const databaseFile = 'tollgate.db'

export function buildConfig(question: ConfigQuestion): Config {
  const { env, cwd, flags, vendors } = question
  checkVariables(env)
  const file = openConfigFile(question)
  const members = file ? readMembers(file) : {}
  const secrets = createSecretReader(env)
  const provision = file
    ? readProvision(file, members[provisionName], vendors, {
        secrets,
        readFile: (path) => question.readFile(resolve(cwd, path)),
      })
    : emptyProvision
  const isSecretProvisioned = secrets.hasSeenLiteral
  const sources: Sources = { file, members, env, flags, secrets }
  const resolved = resolveAll(sources)
  const data = resolve(cwd, needed(resolved.data))
  const database = placeDatabase(cwd, data, resolved.database)
  return freezeDeep({
    listen: needed(resolved.listen),
    database: database.url,
    data,
    brand: needed(resolved.brand),
    publicUrl: resolved.publicUrl.value,
    trustedProxies: needed(resolved.trustedProxies),
    webOrigins: needed(resolved.webOrigins),
    secret: resolved.secret.value,
    replica: resolved.replica.value,
    logLevel: needed(resolved.logLevel),
    demo: needed(resolved.demo),
    bodyBytesMax: needed(resolved.bodyBytesMax),
    drainMs: Math.round(needed(resolved.drainSeconds) * 1000),
    lameDuckMs: Math.round(needed(resolved.lameDuckSeconds) * 1000),
    durability: needed(resolved.durability),
    journalBytesMax: needed(resolved.journalBytesMax),
    isPrivateMediaAllowed: needed(resolved.privateMedia) === 'on',
    showsUpstreamsToMembers: needed(resolved.upstreamsForMembers) === 'on',
    mediaBytesMax: needed(resolved.mediaBytesMax),
    responseRetentionMs: Math.round(needed(resolved.responseRetentionDays) * dayMs),
    usageRetentionMs: Math.round(needed(resolved.usageRetentionDays) * dayMs),
    metricsListen: resolved.metricsListen.value,
    metricsToken: resolved.metricsToken.value,
    bodiesInFlightBytesMax: needed(resolved.bodiesInFlightBytesMax),
    connectionsPerAddressMax: needed(resolved.connectionsPerAddressMax),
    connectionsMax: needed(resolved.connectionsMax),
    openId: openIdOf(resolved),
    provision,
    environmentCredentials: readCredentials(env),
    file: file && { path: file.path, holdsSecrets: isSecretProvisioned || holdsSecrets(members) },
    inForce: Object.values({ ...resolved, database }).map((each) => each.inForce),
  })
}

function resolveAll(sources: Sources) {
  const take = <Value>(setting: Setting<Value>) => resolveSetting(setting, sources)
  return {
    listen: take(settings.listen),
    publicUrl: take(settings.publicUrl),
    database: take(settings.database),
    data: take(settings.data),
    brand: take(settings.brand),
    trustedProxies: take(settings.trustedProxies),
    webOrigins: take(settings.webOrigins),
    secret: take(settings.secret),
    replica: take(settings.replica),
    logLevel: take(settings.logLevel),
    demo: take(settings.demo),
    bodyBytesMax: take(settings.bodyBytesMax),
    drainSeconds: take(settings.drainSeconds),
    lameDuckSeconds: take(settings.lameDuckSeconds),
    responseRetentionDays: take(settings.responseRetentionDays),
    usageRetentionDays: take(settings.usageRetentionDays),
    durability: take(settings.durability),
    journalBytesMax: take(settings.journalBytesMax),
    privateMedia: take(settings.privateMedia),
    upstreamsForMembers: take(settings.upstreamsForMembers),
    mediaBytesMax: take(settings.mediaBytesMax),
    metricsListen: take(settings.metricsListen),
    metricsToken: take(settings.metricsToken),
    bodiesInFlightBytesMax: take(settings.bodiesInFlightBytesMax),
    connectionsPerAddressMax: take(settings.connectionsPerAddressMax),
    connectionsMax: take(settings.connectionsMax),
    openIdIssuer: take(settings.openIdIssuer),
    openIdClientId: take(settings.openIdClientId),
    openIdClientSecret: take(settings.openIdClientSecret),
    openIdLabel: take(settings.openIdLabel),
  }
}

function openIdOf(resolved: ReturnType<typeof resolveAll>): Config['openId'] {
  const openId = readOpenId({
    issuer: resolved.openIdIssuer.value,
    clientId: resolved.openIdClientId.value,
    clientSecret: resolved.openIdClientSecret.value,
    label: resolved.openIdLabel.value,
  })
  if (openId !== 'half') return openId
  throw new ConfigProblem('openIdIssuer and openIdClientId need each other; set both or neither.')
}

function needed<Value>(resolved: Resolved<Value>): Value {
  if (resolved.value !== undefined) return resolved.value
  throw new ConfigProblem(`The setting ${resolved.inForce.name} has no value; give it one.`)
}

/** A variable of ours that is not a setting is a slip that would otherwise go unnoticed. */
function checkVariables(env: Environment): void {
  const known = [
    configFileSetting.variable,
    ...Object.values(settings).map((each) => each.variable),
    urlVariable,
    tokenVariable,
  ]
  for (const name of Object.keys(env)) {
    if (!name.startsWith(ownPrefix) || known.includes(name)) continue
    throw new ConfigProblem(`Unknown environment variable "${name}"${suggestName(name, known)}`)
  }
}

export function readMembers(file: YamlFile): Readonly<Record<string, unknown>> {
  if (file.value === null || file.value === undefined) return {}
  const names = [...Object.keys(settings), provisionName]
  const shape = Object.fromEntries(names.map((name) => [name, z.unknown().optional()]))
  const reading = entry(shape).safeParse(file.value)
  if (!reading.success) throw explainIssues(file, reading.error.issues)
  return reading.data
}

/** The embedded database lives in the data folder unless it is told another place. */
function placeDatabase(
  cwd: string,
  data: string,
  resolved: Resolved<string>,
): Resolved<string> & { url: string } {
  const isDefault = resolved.inForce.source === 'default'
  const written = isDefault ? `sqlite://${join(data, databaseFile)}` : needed(resolved)
  const path = /^sqlite:\/\/(.+)$/.exec(written)?.[1]
  const url = path === undefined ? written : `sqlite://${resolve(cwd, path)}`
  return { ...resolved, url, inForce: { ...resolved.inForce, text: maskUrl(url) } }
}

function resolve(cwd: string, path: string): string {
  return isAbsolute(path) ? path : join(cwd, path)
}

function readCredentials(env: Environment): EnvironmentCredentials {
  const first = (...names: readonly string[]) =>
    names.map((name) => env[name]?.trim()).find((value) => value)
  const openai = first('OPENAI_API_KEY')
  const anthropic = first('ANTHROPIC_API_KEY')
  const google = first('GEMINI_API_KEY', 'GOOGLE_API_KEY')
  return { ...(openai && { openai }), ...(anthropic && { anthropic }), ...(google && { google }) }
}

function holdsSecrets(members: Readonly<Record<string, unknown>>): boolean {
  const { secret, openIdClientSecret, metricsToken, database } = members
  const isSecretWritten = [secret, openIdClientSecret, metricsToken].some(
    (text) => typeof text === 'string' && !text.startsWith('env:'),
  )
  return isSecretWritten || (typeof database === 'string' && maskUrl(database) !== database)
}
