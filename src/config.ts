import { readFileSync } from 'node:fs'
import { buildConfig, type ConfigOptions } from './config/build-config.ts'
import type { Config } from './config/config.ts'
import type { ProvisionVendor } from './config/read-provision.ts'
import { type OpenConfig, openConfig as openWhole } from './config/referenced-secrets.ts'
import type { Flags } from './config/resolve-setting.ts'
import type { Environment } from './config/secret-reader.ts'
import { sendableProvision } from './config/sendable-provision.ts'

export interface LoadOptions {
  /** The known vendors, passed in because the config code does not import them. */
  readonly vendors: ReadonlyMap<string, ProvisionVendor>
  /** Settings given on the command line, by name without dashes. */
  readonly flags?: Flags
  readonly env?: Environment
  readonly cwd?: string
  readonly readFile?: (path: string) => string
}

/** The only reader of the environment and of the config file. Throws a ConfigProblem of one sentence. */
export function loadConfig(options: LoadOptions): Config {
  return buildConfig(wholeOf(options))
}

/** The configuration with its secrets in files and programs, which can be read again. Throws a ConfigProblem. */
export function openConfig(options: LoadOptions): OpenConfig {
  return openWhole(wholeOf(options))
}

/**
 * The objects that the config file provisions, as the file writes them, for sending to a remote gateway. Throws a
 * ConfigProblem of one sentence.
 */
export function loadProvision(options: LoadOptions): Readonly<Record<string, unknown>> {
  return sendableProvision(wholeOf(options))
}

function wholeOf(options: LoadOptions): ConfigOptions {
  return {
    vendors: options.vendors,
    flags: options.flags ?? {},
    env: options.env ?? readEnvironment(),
    cwd: options.cwd ?? process.cwd(),
    readFile: options.readFile ?? ((path) => readFileSync(path, 'utf8')),
  }
}

/** A copy of the environment for the composition root to pass on. */
export function readEnvironment(): Environment {
  return { ...process.env }
}
