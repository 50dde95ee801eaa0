import { readFileSync } from 'node:fs'
import { buildConfig, type ConfigQuestion } from './config/build-config.ts'
import type { Config } from './config/config.ts'
import type { ProvisionVendor } from './config/read-provision.ts'
import type { Flags } from './config/resolve-setting.ts'
import type { Environment } from './config/secret-reader.ts'
import { sendableProvision } from './config/sendable-provision.ts'

export interface LoadQuestion {
  /** The vendors there are; the config room does not know them itself. */
  readonly vendors: ReadonlyMap<string, ProvisionVendor>
  /** Settings given on the command line, by name without dashes. */
  readonly flags?: Flags
  readonly env?: Environment
  readonly cwd?: string
  readonly readFile?: (path: string) => string
}

/** The only reader of the environment and of the config file. Throws a ConfigProblem of one sentence. */
export function loadConfig(question: LoadQuestion): Config {
  return buildConfig(wholeOf(question))
}

/** What the config file provisions, in its own words, for a gateway elsewhere. Throws a ConfigProblem of one sentence. */
export function loadProvision(question: LoadQuestion): Readonly<Record<string, unknown>> {
  return sendableProvision(wholeOf(question))
}

function wholeOf(question: LoadQuestion): ConfigQuestion {
  return {
    vendors: question.vendors,
    flags: question.flags ?? {},
    env: question.env ?? readEnvironment(),
    cwd: question.cwd ?? process.cwd(),
    readFile: question.readFile ?? ((path) => readFileSync(path, 'utf8')),
  }
}

/** The environment as it is now, for the composition root to hand on. */
export function readEnvironment(): Environment {
  return { ...process.env }
}
