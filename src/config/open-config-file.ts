import { isAbsolute, join } from 'node:path'
import { ConfigProblem } from './config-problem.ts'
import type { Flags } from './resolve-setting.ts'
import type { Environment } from './secret-reader.ts'
import { configFileSetting } from './settings.ts'
import { readYaml, type YamlFile } from './yaml-file.ts'

export interface ConfigFileOptions {
  readonly flags: Flags
  readonly env: Environment
  readonly cwd: string
  /** Throws as node:fs does. */
  readonly readFile: (path: string) => string
}

/** The file that was named, or ./tollgate.yaml if it exists. */
export function openConfigFile(options: ConfigFileOptions): YamlFile | undefined {
  const flagged = options.flags[configFileSetting.flag]
  const fromVariable = options.env[configFileSetting.variable]
  const asked = flagged ?? (fromVariable === '' ? undefined : fromVariable)
  const path = asked ?? configFileSetting.byDefault
  const source = flagged === undefined ? configFileSetting.variable : `--${configFileSetting.flag}`
  let text: string
  try {
    text = options.readFile(isAbsolute(path) ? path : join(options.cwd, path))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT' && asked === undefined) return undefined
    throw new ConfigProblem(explain(path, code, asked === undefined ? undefined : source, error), {
      cause: error,
    })
  }
  return readYaml(path, text)
}

function explain(path: string, code: string, source: string | undefined, error: unknown): string {
  const named = source === undefined ? '' : ` (named by ${source})`
  const subject = `The config file ${path}${named}`
  switch (code) {
    case 'ENOENT':
      return `${subject} does not exist; create it or name another.`
    case 'EACCES':
    case 'EPERM':
      return `${subject} cannot be read by this user; change its permissions.`
    case 'EISDIR':
      return `${subject} is a folder; name a file.`
    default:
      return `${subject} cannot be read: ${error instanceof Error ? error.message : String(error)}.`
  }
}
