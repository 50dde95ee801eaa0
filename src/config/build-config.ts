import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { sqlitePathOf, sqliteUrlOf } from '../core/network/sqlite-url.ts'
import type { Config, EnvironmentCredentials } from './config.ts'
import { ConfigProblem } from './config-problem.ts'
import { entry } from './entry-fields.ts'
import { explainIssues } from './explain-issue.ts'
import { maskUrl } from './mask.ts'
import { suggestName } from './nearest-name.ts'
import { type ConfigFileOptions, openConfigFile } from './open-config-file.ts'
import { readOpenId } from './open-id-settings.ts'
import { emptyProvision, type ProvisionVendor, readProvision } from './read-provision.ts'
import { tokenVariable, urlVariable } from './remote-variables.ts'
import { isSecretIn, type Resolved, resolveSetting, type Sources } from './resolve-setting.ts'
import { runProgram } from './run-program.ts'
import {
  createSecretReader,
  type Environment,
  type SecretReader,
  type SecretSources,
} from './secret-reader.ts'
import { ownPrefix, type Setting } from './setting.ts'
import { type Configured, configFileSetting, provisionName, settings } from './settings.ts'
import { readSmtp } from './smtp-settings.ts'
import type { YamlFile } from './yaml-file.ts'

export interface ConfigOptions extends ConfigFileOptions {
  readonly vendors: ReadonlyMap<string, ProvisionVendor>
}

const databaseFile = 'tollgate.db'

export function buildConfig(
  options: ConfigOptions,
  secrets: SecretReader = createSecretReader(secretSourcesOf(options)),
): Config {
  const { env, cwd, flags, vendors } = options
  checkVariables(env)
  const file = openConfigFile(options)
  const members = file ? readMembers(file) : {}
  const provision = file
    ? readProvision(file, members[provisionName], vendors, {
        secrets,
        readFile: (path) => options.readFile(resolve(cwd, path)),
      })
    : emptyProvision
  const isSecretProvisioned = secrets.hasSeenLiteral
  const sources: Sources = { file, members, env, flags, secrets }
  const resolved = resolveAll(sources)
  const values = valuesOf(resolved)
  const data = resolve(cwd, values.data)
  const database = placeDatabase(cwd, data, resolved.database)
  if (values.readDatabase !== undefined && sqlitePathOf(database.url) !== undefined)
    throw new ConfigProblem(
      '"readDatabase" needs a Postgres database; remove it, or set "database".',
    )
  return freezeDeep({
    ...values,
    data,
    database: database.url,
    openId: openIdOf(resolved),
    smtp: smtpOf(resolved),
    provision,
    environmentCredentials: readCredentials(env),
    file: file && { path: file.path, holdsSecrets: isSecretProvisioned || holdsSecrets(members) },
    inForce: Object.values({ ...resolved, database }).map((each) => each.inForce),
  })
}

/** Paths are relative to the working directory, like all paths of the configuration. */
export function secretSourcesOf({ env, cwd, readFile }: ConfigOptions): SecretSources {
  return {
    env,
    readFile: (path) => readFile(resolve(cwd, path)),
    runProgram: (command) => runProgram(command, env, cwd),
  }
}

type ResolvedAll = {
  readonly [Name in keyof typeof settings]: (typeof settings)[Name] extends Setting<infer Value>
    ? Resolved<Value>
    : never
}

function resolveAll(sources: Sources): ResolvedAll {
  const resolved = Object.values(settings).map((setting: Setting<unknown>) => [
    setting.name,
    resolveSetting(setting, sources),
  ])
  return Object.fromEntries(resolved) as ResolvedAll
}

/** By the names in the configuration. `resolveSetting` ensures that a setting with a default has a value. */
function valuesOf(resolved: ResolvedAll): Configured {
  const values = Object.values(settings).flatMap(({ name, member = name }: Setting<unknown>) =>
    member === null ? [] : [[member, resolved[name as keyof ResolvedAll].value]],
  )
  return Object.fromEntries(values) as Configured
}

function openIdOf(resolved: ResolvedAll): Config['openId'] {
  const openId = readOpenId({
    issuer: resolved.openIdIssuer.value,
    clientId: resolved.openIdClientId.value,
    clientSecret: resolved.openIdClientSecret.value,
    clientAuth: resolved.openIdClientAuth.value,
    label: resolved.openIdLabel.value,
    create: resolved.openIdCreate.value,
    domains: resolved.openIdDomains.value,
    groups: resolved.openIdGroups.value,
    groupsClaim: resolved.openIdGroupsClaim.value,
    reauthentication: resolved.openIdReauthentication.value,
    scopes: resolved.openIdScope.value,
  })
  if (typeof openId === 'string') throw new ConfigProblem(openId)
  return openId
}

function smtpOf(resolved: ResolvedAll): Config['smtp'] {
  const smtp = readSmtp({
    host: resolved.smtpHost.value,
    port: resolved.smtpPort.value,
    tls: resolved.smtpTls.value,
    user: resolved.smtpUser.value,
    password: resolved.smtpPassword.value,
    from: resolved.smtpFrom.value,
    publicUrl: resolved.publicUrl.value,
  })
  if (typeof smtp === 'string') throw new ConfigProblem(smtp)
  return smtp
}

/** A variable with the gateway's prefix that is not a setting is a typing error that would otherwise go unnoticed. */
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

/** The embedded database is in the data folder unless another path is set. */
function placeDatabase(
  cwd: string,
  data: string,
  resolved: Resolved<string>,
): Resolved<string> & { url: string } {
  const isDefault = resolved.inForce.source === 'default'
  const written = isDefault ? sqliteUrlOf(join(data, databaseFile)) : (resolved.value ?? '')
  const path = sqlitePathOf(written)
  const url = path === undefined ? written : sqliteUrlOf(resolve(cwd, path))
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
  return Object.values(settings).some((setting) => isSecretIn(setting, members[setting.name]))
}

/** Protects the configuration from any later change. */
function freezeDeep<Value extends object>(value: Value): Value {
  for (const member of Object.values(value) as unknown[]) {
    if (typeof member === 'object' && member !== null && !Object.isFrozen(member))
      freezeDeep(member)
  }
  return Object.freeze(value)
}
