import type { ModelTraits } from '../../protocols/model-traits.ts'
import { type Dialect, dialects } from './dialects.ts'
import { familyTraits } from './family-traits.ts'
import { unknownReplies } from './reply-traits.ts'

const byHost = new Map(
  dialects.flatMap((dialect) => dialect.hosts.map((host) => [host, dialect] as const)),
)

/** The service at the base URL decides; for an unknown server, the family of the model decides. */
export function compatibleTraits(model: string, baseUrl: string): ModelTraits {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const dialect = findDialect(baseUrl)
  return dialect ? dialect.traits(name) : guessed(name)
}

function guessed(name: string): ModelTraits {
  return { ...familyTraits(name), isGuess: true, replies: unknownReplies }
}

/** A host is known by its own name or by its domain. Every request calls this, so nothing is parsed. */
function findDialect(baseUrl: string): Dialect | undefined {
  let domain = /^https?:\/\/([^/:?#@]+)/i.exec(baseUrl)?.[1]?.toLowerCase() ?? ''
  while (domain !== '') {
    const dialect = byHost.get(domain)
    if (dialect) return dialect
    const dot = domain.indexOf('.')
    domain = dot === -1 ? '' : domain.slice(dot + 1)
  }
  return undefined
}
