export type Environment = Readonly<Record<string, string | undefined>>

export interface SecretReader {
  /** The secret itself, or what is wrong with the reference to it. */
  read(text: string): SecretReading
  /** Whether any secret so far was written out instead of referenced. */
  readonly hasSeenLiteral: boolean
}

type SecretReading = { readonly value: string } | { readonly wrong: string }

/** Where references lead. Both functions throw an Error whose message contains nothing secret. */
export interface SecretPlaces {
  readonly env: Environment
  readonly readFile: (path: string) => string
  /** Runs a program without a shell and returns what it prints. */
  readonly runProgram: (words: readonly string[]) => string
}

/** Longer than any key, password or certificate. */
export const secretBytesMax = 65_536

type Prefix = 'env:' | 'file:' | 'exec:'

const prefixes: readonly Prefix[] = ['env:', 'file:', 'exec:']

function prefixOf(text: string): Prefix | undefined {
  return prefixes.find((prefix) => text.startsWith(prefix))
}

export function isReference(text: string): boolean {
  return prefixOf(text) !== undefined
}

/**
 * Secrets may be written as `env:NAME`, `file:PATH` or `exec:PROGRAM ARGUMENTS`, so that a file can be shared without
 * them.
 */
export function createSecretReader(places: SecretPlaces): SecretReader {
  let hasSeenLiteral = false
  return {
    get hasSeenLiteral() {
      return hasSeenLiteral
    },
    read: (text) => {
      const prefix = prefixOf(text)
      if (prefix !== undefined) return readers[prefix](text.slice(prefix.length), places)
      hasSeenLiteral = true
      return { value: text }
    },
  }
}

const readers: Readonly<Record<Prefix, (rest: string, places: SecretPlaces) => SecretReading>> = {
  'env:': (name, { env }) => {
    const value = env[name]
    if (value === undefined) {
      return { wrong: `refers to the environment variable ${name}, which is not set; set it` }
    }
    if (value === '') {
      return {
        wrong: `refers to the environment variable ${name}, which is empty; give it a value`,
      }
    }
    return { value }
  },
  'file:': (path, { readFile }) =>
    readText(`refers to the file ${path}, which`, () => readFile(path)),
  'exec:': (line, { runProgram }) => {
    const words = line.split(/\s+/).filter((word) => word !== '')
    // Arguments may be private, so only the program is named.
    const subject = `refers to the program ${words[0] ?? ''}, which`
    if (words.length === 0) return { wrong: `${subject} has no name; write exec:PROGRAM` }
    return readText(subject, () => runProgram(words))
  },
}

/** One line end after the secret is not part of it. */
function readText(subject: string, read: () => string): SecretReading {
  let text: string
  try {
    text = read()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { wrong: `${subject} cannot be read: ${why}` }
  }
  const value = text.replace(/\r?\n$/, '')
  if (value === '') return { wrong: `${subject} gives nothing; it must give the secret` }
  if (value.length > secretBytesMax)
    return { wrong: `${subject} gives more than ${secretBytesMax} bytes` }
  return { value }
}

/** For a document that was sent to the gateway: its sender must neither learn nor use what the gateway can read. */
export const sentSecrets: SecretReader = {
  hasSeenLiteral: true,
  read: (text) => {
    const prefix = prefixOf(text)
    if (prefix === undefined) return { value: text }
    return {
      wrong: `refers to ${kindOf[prefix]}, which is not allowed in a sent document; write the value itself`,
    }
  },
}

const kindOf: Readonly<Record<Prefix, string>> = {
  'env:': 'an environment variable',
  'file:': 'a file',
  'exec:': 'a program',
}
