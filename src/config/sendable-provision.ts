import { resolve } from 'node:path'
import { type ConfigOptions, readMembers, secretSourcesOf } from './build-config.ts'
import { openConfigFile } from './open-config-file.ts'
import { readProvision } from './read-provision.ts'
import { createSecretReader, type SecretReader } from './secret-reader.ts'
import { provisionName } from './settings.ts'

type Written = Readonly<Record<string, unknown>>

/**
 * The provision section of the config file, for a remote gateway. Variables and files are those of this machine, so
 * their contents replace the references. Throws a ConfigProblem of one sentence.
 */
export function sendableProvision(options: ConfigOptions): Written {
  const { cwd, vendors } = options
  const file = openConfigFile(options)
  const written = file && readMembers(file)[provisionName]
  if (!file || written === undefined || written === null) return {}
  const meant = new Map<string, string>()
  const own = createSecretReader(secretSourcesOf(options))
  const secrets: SecretReader = {
    get hasSeenLiteral() {
      return own.hasSeenLiteral
    },
    read: (text) => {
      const reading = own.read(text)
      if ('value' in reading && reading.value !== text) meant.set(text, reading.value)
      return reading
    },
  }
  const readFile = (path: string) => {
    const text = options.readFile(resolve(cwd, path))
    meant.set(path, text)
    return text
  }
  // Validating here reports a problem with its line in the file.
  readProvision(file, written, vendors, { secrets, readFile })
  return filledIn(written, meant) as Written
}

/** Replaces each reference with its content. Only texts that were parsed as references are replaced. */
function filledIn(written: unknown, meant: ReadonlyMap<string, string>): unknown {
  if (typeof written === 'string') return meant.get(written) ?? written
  if (Array.isArray(written)) return written.map((each: unknown) => filledIn(each, meant))
  if (typeof written !== 'object' || written === null) return written
  const members = Object.entries(written).map(([name, value]: [string, unknown]) => [
    name,
    filledIn(value, meant),
  ])
  return Object.fromEntries(members)
}
