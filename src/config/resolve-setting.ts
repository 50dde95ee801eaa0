import type { SettingInForce } from './config.ts'
import { ConfigProblem } from './config-problem.ts'
import { shownValue } from './explain-issue.ts'
import { type Environment, isReference, type SecretReader } from './secret-reader.ts'
import type { Setting } from './setting.ts'
import { isWholeSentence } from './whole-sentence.ts'
import type { YamlFile } from './yaml-file.ts'

/** Flags by name without dashes, as given on the command line. */
export type Flags = Readonly<Record<string, string | undefined>>

export interface Sources {
  readonly file: YamlFile | undefined
  readonly members: Readonly<Record<string, unknown>>
  readonly env: Environment
  readonly flags: Flags
  readonly secrets: SecretReader
}

interface Found {
  readonly raw: unknown
  /** The name of the source in a list, and at the beginning of a sentence. */
  readonly source: string
  readonly subject: string
}

export interface Resolved<Value> {
  readonly value: Value | undefined
  readonly inForce: SettingInForce
}

/** A flag takes precedence over a variable, a variable over the file, the file over the default. */
export function resolveSetting<Value>(setting: Setting<Value>, sources: Sources): Resolved<Value> {
  const found = findSetting(setting, sources)
  if (found === undefined)
    return { value: undefined, inForce: inForce(setting, '(not set)', 'default') }
  const raw = setting.mask ? readSecret(found, sources.secrets) : found.raw
  const reading = setting.kind.written.safeParse(raw)
  if (!reading.success) {
    const [issue] = reading.error.issues
    const message = issue?.message ?? 'is wrong'
    if (issue && isWholeSentence(issue)) throw new ConfigProblem(`${found.subject} ${message}`)
    const shown = setting.mask ? '' : shownValue(found.raw)
    throw new ConfigProblem(`${found.subject} ${message}${shown}.`)
  }
  const text = Array.isArray(raw) ? raw.map(shownItem).join(', ') : String(raw)
  const shown = setting.mask ? setting.mask(text) : text
  return {
    value: reading.data,
    inForce: inForce(setting, shown === '' ? '(none)' : shown, found.source),
  }
}

function shownItem(item: unknown): string {
  return typeof item === 'string' ? item : JSON.stringify(item)
}

function inForce(setting: { name: string }, text: string, source: string): SettingInForce {
  return { name: setting.name, text, source }
}

function readSecret(found: Found, secrets: SecretReader): unknown {
  if (typeof found.raw !== 'string') return found.raw
  const reading = secrets.read(found.raw)
  if ('value' in reading) return reading.value
  throw new ConfigProblem(`${found.subject} ${reading.wrong}.`)
}

function findSetting(setting: Setting<unknown>, sources: Sources): Found | undefined {
  const { name, variable, flag, byDefault } = setting
  const flagged = sources.flags[flag]
  if (flagged !== undefined)
    return { raw: flagged, source: `--${flag}`, subject: `The flag --${flag}` }
  const fromVariable = sources.env[variable]
  // Deployment tools pass unset variables as empty ones.
  if (fromVariable !== undefined && fromVariable !== '') {
    return { raw: fromVariable, source: variable, subject: `The environment variable ${variable}` }
  }
  const written = sources.members[name]
  if (sources.file && written !== undefined) {
    const where = sources.file.whereIs([name])
    return { raw: written, source: where, subject: `${where}: ${name}` }
  }
  return byDefault === undefined ? undefined : { raw: byDefault, source: 'default', subject: name }
}

/** Whether the file contains the secret itself, not a reference to it. */
export function isSecretIn({ mask }: Setting<unknown>, written: unknown): boolean {
  if (mask === undefined || typeof written !== 'string' || isReference(written)) return false
  return mask(written) !== written
}
