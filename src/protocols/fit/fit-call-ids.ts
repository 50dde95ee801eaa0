import type { ModelRequest, Part } from '../../core/neutral/model-request.ts'
import type { ToolRules } from '../translation.ts'
import { fitIdentifier, type IdentifierRules, isFitIdentifier } from './fit-identifier.ts'

/**
 * Replaces call ids in the history that the upstream would reject: ids that are too long, contain other characters, or
 * repeat an id of an earlier turn. A call and its result get the same new id, and the same id gives the same new id in
 * every request.
 */
export function fitCallIds(request: ModelRequest, rules: ToolRules): ModelRequest {
  const idRules = { lengthMax: rules.callIdLengthMax, pattern: rules.callIdPattern }
  if (areFit(request, idRules)) return request
  const replacements = new Replacements(request, idRules)
  const turns = request.turns.map((turn) => {
    for (const part of turn.parts) if (part.type === 'tool-call') replacements.reuse(part.id)
    const parts = turn.parts.map((part): Part => {
      if (part.type === 'tool-call') return { ...part, id: replacements.ofCall(part.id) }
      if (part.type !== 'tool-result') return part
      return { ...part, callId: replacements.ofResult(part.callId) }
    })
    return { ...turn, parts }
  })
  return { ...request, turns }
}

/** The new ids of calls of one turn that share an id, and how many of them have a result. */
interface Calls {
  readonly ids: string[]
  answered: number
}

class Replacements {
  readonly #idRules: IdentifierRules
  readonly #taken: Set<string>
  readonly #given = new Set<string>()
  readonly #timesUsed = new Map<string, number>()
  readonly #calls = new Map<string, Calls>()

  constructor(request: ModelRequest, idRules: IdentifierRules) {
    this.#idRules = idRules
    this.#taken = legalIds(request, idRules)
  }

  /** From here on, a reused id stands for the new call. */
  reuse(id: string): void {
    this.#calls.delete(id)
  }

  ofCall(id: string): string {
    const timesUsed = this.#timesUsed.get(id) ?? 0
    this.#timesUsed.set(id, timesUsed + 1)
    const isFree = isFitIdentifier(id, this.#idRules) && !this.#given.has(id)
    const fitted = isFree ? id : this.#fit(timesUsed === 0 ? id : `${id} ${timesUsed + 1}`)
    this.#given.add(fitted)
    const calls = this.#calls.get(id)
    if (calls) calls.ids.push(fitted)
    else this.#calls.set(id, { ids: [fitted], answered: 0 })
    return fitted
  }

  /** If calls share an id, the first result answers the first call. A surplus result belongs to the last call. */
  ofResult(id: string): string {
    const calls = this.#calls.get(id)
    if (!calls) return isFitIdentifier(id, this.#idRules) ? id : this.#fit(id)
    const fitted = calls.ids[calls.answered] ?? calls.ids.at(-1) ?? id
    calls.answered += 1
    return fitted
  }

  #fit(id: string): string {
    return fitIdentifier(
      id,
      this.#idRules,
      (each) => this.#taken.has(each) || this.#given.has(each),
    )
  }
}

function areFit(request: ModelRequest, idRules: IdentifierRules): boolean {
  const seen = new Set<string>()
  for (const { parts } of request.turns) {
    for (const part of parts) {
      if (part.type === 'tool-call') {
        if (seen.has(part.id) || !isFitIdentifier(part.id, idRules)) return false
        seen.add(part.id)
      } else if (part.type === 'tool-result' && !isFitIdentifier(part.callId, idRules)) return false
    }
  }
  return true
}

function legalIds(request: ModelRequest, idRules: IdentifierRules): Set<string> {
  const ids = new Set<string>()
  for (const { parts } of request.turns) {
    for (const part of parts) {
      if (part.type === 'tool-call' && isFitIdentifier(part.id, idRules)) ids.add(part.id)
    }
  }
  return ids
}
