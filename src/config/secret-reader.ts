export type Environment = Readonly<Record<string, string | undefined>>

export interface SecretReader {
  /** The secret itself, or what is wrong with the reference to it. */
  read(text: string): SecretReading
  /** Whether any secret so far was written out instead of referenced. */
  readonly hasSeenLiteral: boolean
}

export type SecretReading = { readonly value: string } | { readonly wrong: string }

/** A reader that reads each reference once and remembers what it got. */
export interface RememberingReader extends SecretReader {
  /** The values by their references to files and programs. */
  readonly referenced: ReadonlyMap<string, string>
}

/** Where references lead. Both functions throw an Error whose message contains nothing secret. */
export interface SecretSources {
  readonly env: Environment
  readonly readFile: (path: string) => string
  /** Runs a program without a shell and returns what it prints. */
  readonly runProgram: (command: readonly string[]) => string
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
 * them. `known` are values of references that need not be read.
 */
export function createSecretReader(
  sources: SecretSources,
  known: ReadonlyMap<string, string> = new Map(),
): RememberingReader {
  const referenced = new Map(known)
  let hasSeenLiteral = false
  return {
    referenced,
    get hasSeenLiteral() {
      return hasSeenLiteral
    },
    read: (text) => {
      const prefix = prefixOf(text)
      if (prefix === undefined) {
        hasSeenLiteral = true
        return { value: text }
      }
      const value = referenced.get(text)
      if (value !== undefined) return { value }
      const reading = readers[prefix](text.slice(prefix.length), sources)
      if ('value' in reading && prefix !== 'env:') referenced.set(text, reading.value)
      return reading
    },
  }
}

/** A reference whose value can change while the gateway runs. */
export type Reference =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'exec'; readonly command: readonly string[] }

export function parseReference(text: string): Reference | undefined {
  if (text.startsWith('file:')) return { kind: 'file', path: text.slice('file:'.length) }
  return text.startsWith('exec:')
    ? { kind: 'exec', command: splitCommand(text.slice('exec:'.length)) }
    : undefined
}

function splitCommand(line: string): string[] {
  return line.split(/\s+/).filter((word) => word !== '')
}

/** For people and logs. Arguments of a program may be private, so only the program is named. */
export function nameOfReference(text: string): string {
  const reference = parseReference(text)
  return reference?.kind === 'exec' ? `exec:${reference.command[0] ?? ''}` : text
}

const readers: Readonly<Record<Prefix, (rest: string, sources: SecretSources) => SecretReading>> = {
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
    const command = splitCommand(line)
    // Arguments may be private, so only the program is named.
    const subject = `refers to the program ${command[0] ?? ''}, which`
    if (command.length === 0) return { wrong: `${subject} has no name; write exec:PROGRAM` }
    return readText(subject, () => runProgram(command))
  },
}

function readText(subject: string, read: () => string): SecretReading {
  try {
    return judgeText(subject, read())
  } catch (error) {
    return unreadable(subject, error)
  }
}

/** The same reading as at the start, from a text that arrives later; undefined if none does. */
export async function readLater(
  text: Promise<string | undefined>,
): Promise<SecretReading | undefined> {
  return text.then(
    (found) => (found === undefined ? undefined : judgeText('it', found)),
    (error: unknown) => unreadable('it', error),
  )
}

function unreadable(subject: string, error: unknown): SecretReading {
  const why = error instanceof Error ? error.message : String(error)
  return { wrong: `${subject} cannot be read: ${why}` }
}

/** One line end after the secret is not part of it. */
function judgeText(subject: string, text: string): SecretReading {
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
