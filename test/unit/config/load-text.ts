import type { Config } from '../../../src/config/config.ts'
import { loadConfig } from '../../../src/config.ts'
import { vendors } from '../../../src/vendors/index.ts'

export interface Given {
  readonly text?: string
  readonly env?: Readonly<Record<string, string>>
  readonly flags?: Readonly<Record<string, string>>
  /** Other files than the config, by their full path. */
  readonly files?: Readonly<Record<string, string>>
}

/** Loads a config with this file, environment and command line, in the folder /srv. */
export function loadText({ text, env = {}, flags = {}, files }: Given): Config {
  return loadConfig({
    vendors,
    env,
    flags,
    cwd: '/srv',
    readFile: (path) => {
      const other = files?.[path]
      if (other !== undefined) return other
      if (text === undefined || (files !== undefined && !path.endsWith('.yaml')))
        throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
      return text
    },
  })
}

/** The sentence with which the same configuration is refused. */
export function refusalOf(given: Given): string {
  try {
    loadText(given)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'no refusal'
}
