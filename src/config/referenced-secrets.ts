import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { buildConfig, type ConfigOptions, secretSourcesOf } from './build-config.ts'
import type { Config } from './config.ts'
import { runProgramAsync } from './run-program.ts'
import {
  createSecretReader,
  type Environment,
  nameOfReference,
  parseReference,
  type Reference,
  readLater,
  type SecretReading,
  secretBytesMax,
} from './secret-reader.ts'

/** A secret of the configuration that can change while the gateway runs. */
export interface ReferencedSecret {
  /** As written: `file:PATH` or `exec:PROGRAM ARGUMENTS`. Its arguments may be private. */
  readonly text: string
  readonly kind: Reference['kind']
  /** For people and logs. */
  readonly name: string
  /** The value that the configuration was built with. */
  readonly value: string
}

export interface ReferencedSecrets {
  readonly list: readonly ReferencedSecret[]
  /**
   * Reads one of them again, without blocking. Undefined if the file is not a regular one, such as a pipe, which can be
   * read only once.
   */
  read(text: string, signal: AbortSignal): Promise<SecretReading | undefined>
  /**
   * The configuration with other values of these secrets, and otherwise as it was read at the start. Throws a
   * ConfigProblem if a value is not valid.
   */
  rebuild(values: ReadonlyMap<string, string>): Config
}

export interface OpenConfig {
  readonly config: Config
  readonly secrets: ReferencedSecrets
}

export function openConfig(options: ConfigOptions): OpenConfig {
  const readFile = rememberFiles(options.readFile)
  const remembered = { ...options, readFile }
  const reader = createSecretReader(secretSourcesOf(options))
  const config = buildConfig(remembered, reader)
  const list = [...reader.referenced].flatMap(([text, value]): ReferencedSecret[] => {
    const kind = parseReference(text)?.kind
    return kind === undefined ? [] : [{ text, kind, name: nameOfReference(text), value }]
  })
  return {
    config,
    secrets: {
      list,
      read: (text, signal) => readAgain(text, options, signal),
      rebuild: (values) =>
        buildConfig(remembered, createSecretReader(secretSourcesOf(remembered), values)),
    },
  }
}

/** Every later reading gets what the first one got, also if the file was missing. */
function rememberFiles(readFile: ConfigOptions['readFile']): ConfigOptions['readFile'] {
  const known = new Map<string, { text: string } | { error: unknown }>()
  return (path) => {
    let found = known.get(path)
    if (!found) {
      found = attempt(() => readFile(path))
      known.set(path, found)
    }
    if ('error' in found) throw found.error
    return found.text
  }
}

function attempt(read: () => string): { text: string } | { error: unknown } {
  try {
    return { text: read() }
  } catch (error) {
    return { error }
  }
}

async function readAgain(
  text: string,
  { env, cwd }: { readonly env: Environment; readonly cwd: string },
  signal: AbortSignal,
): Promise<SecretReading | undefined> {
  const reference = parseReference(text)
  if (!reference) return undefined
  if (reference.kind === 'exec')
    return readLater(runProgramAsync(reference.command, env, cwd, signal))
  const { path } = reference
  return readLater(readRegular(isAbsolute(path) ? path : join(cwd, path)))
}

/** Reads a little more than a secret may have, so that a file of any size costs little. */
async function readRegular(path: string): Promise<string | undefined> {
  // Opening a pipe for reading would wait for its writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) return undefined
    const bytes = Buffer.alloc(secretBytesMax + 3)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.toString('utf8', 0, length)
  } finally {
    await file.close()
  }
}
