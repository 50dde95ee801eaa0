/** The form of names or ids that an upstream accepts. */
export interface IdentifierRules {
  readonly lengthMax: number
  /** The allowed characters, as a whole-string pattern. */
  readonly pattern: RegExp
}

const hashLength = 8

export function isFitIdentifier(
  identifier: string,
  { lengthMax, pattern }: IdentifierRules,
): boolean {
  return identifier.length <= lengthMax && pattern.test(identifier)
}

/**
 * A valid replacement for `identifier`: its valid characters and a hash of the whole. The same identifier gives the
 * same name in every request, so the upstream's prompt cache stays warm. Names in use are skipped.
 */
export function fitIdentifier(
  identifier: string,
  rules: IdentifierRules,
  isTaken: (candidate: string) => boolean,
): string {
  // A character has at most two UTF-16 units, so this is enough for the stem, however long the identifier is.
  const begin = identifier.slice(0, 2 * rules.lengthMax)
  const stem = stemOf(begin, rules).slice(0, rules.lengthMax - hashLength - 1)
  for (let round = 0; ; round += 1) {
    const candidate = `${stem}_${hash8(`${round}:${identifier}`)}`
    if (!isTaken(candidate)) return candidate
  }
}

/** A pattern may restrict the first character more than the rest, so other characters are tried after a letter. */
function stemOf(identifier: string, { pattern }: IdentifierRules): string {
  let legal = ''
  for (const character of identifier) legal += pattern.test(`a${character}`) ? character : '_'
  return pattern.test(legal) ? legal : `tool_${legal}`
}

/**
 * FNV-1a over UTF-16 units. The round comes first, so that identifiers that collide in one round differ in the next.
 */
function hash8(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return (hash >>> 0).toString(16).padStart(hashLength, '0')
}
