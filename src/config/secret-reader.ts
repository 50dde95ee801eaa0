export type Environment = Readonly<Record<string, string | undefined>>

export interface SecretReader {
  /** The secret itself, or what is wrong with the reference to it. */
  read(text: string): { readonly value: string } | { readonly wrong: string }
  /** Whether any secret so far was written out instead of referenced. */
  readonly hasSeenLiteral: boolean
}

const prefix = 'env:'

export function isReference(text: string): boolean {
  return text.startsWith(prefix)
}

/** Secrets may be written as `env:NAME`, so that a file can be shared without them. */
export function createSecretReader(env: Environment): SecretReader {
  let hasSeenLiteral = false
  return {
    get hasSeenLiteral() {
      return hasSeenLiteral
    },
    read: (text) => {
      if (!isReference(text)) {
        hasSeenLiteral = true
        return { value: text }
      }
      const name = text.slice(prefix.length)
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
  }
}

/** For a document that was sent to the gateway: its sender must neither learn nor use the gateway's environment. */
export const sentSecrets: SecretReader = {
  hasSeenLiteral: true,
  read: (text) =>
    text.startsWith(prefix)
      ? {
          wrong:
            'refers to an environment variable, which is not allowed in a sent document; write the value itself',
        }
      : { value: text },
}
