import { isIP } from 'node:net'
import { OutgoingFailure } from './reply.ts'

export interface AddressDeps {
  monotonicMs(): number
  /** All addresses of a name, in the order to try. */
  resolve(name: string): Promise<readonly string[]>
  isPublic(address: string): boolean
}

/** How long the result of a DNS lookup is used before the next lookup. */
const lookUpEveryMs = 30_000
/** How long the last result is used while the name servers do not answer. */
const lookUpStaleMs = 5 * 60_000

interface Found {
  readonly addresses: readonly string[]
  readonly atMs: number
}

/**
 * The addresses of one name that may be connected to. The connection goes to the address that was checked, so a name
 * that resolves differently a moment later gains nothing (DNS rebinding).
 */
export class CheckedAddresses {
  readonly #name: string
  readonly #allowsPrivate: boolean
  readonly #deps: AddressDeps
  #found: Found | undefined
  #looking: Promise<readonly string[]> | undefined

  constructor(name: string, allowsPrivate: boolean, deps: AddressDeps) {
    this.#name = name
    this.#allowsPrivate = allowsPrivate
    this.#deps = deps
  }

  find(): readonly string[] | Promise<readonly string[]> {
    const found = this.#foundWithin(lookUpEveryMs)
    if (found) return found
    this.#looking ??= this.#lookUp().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  #foundWithin(ms: number): readonly string[] | undefined {
    const found = this.#found
    return found && this.#deps.monotonicMs() - found.atMs < ms ? found.addresses : undefined
  }

  async #lookUp(): Promise<readonly string[]> {
    const atMs = this.#deps.monotonicMs()
    let all: readonly string[]
    try {
      all = isIP(this.#name) === 0 ? await this.#deps.resolve(this.#name) : [this.#name]
    } catch (error) {
      const stale = this.#foundWithin(lookUpStaleMs)
      if (stale) return stale
      const problem = error instanceof Error ? error.message : String(error)
      const text = `${this.#name} cannot be resolved: ${problem}`
      throw new OutgoingFailure(text, { kind: 'connect_failed', cause: error })
    }
    this.#found = undefined
    if (all.length === 0) {
      throw new OutgoingFailure(`${this.#name} has no address`, { kind: 'connect_failed' })
    }
    const wrong = this.#allowsPrivate ? undefined : all.find((each) => !this.#deps.isPublic(each))
    if (wrong !== undefined) throw this.#refusal(wrong)
    this.#found = { addresses: all, atMs }
    return all
  }

  /** One private address among public ones is enough to refuse the name. Only an attacker needs this form. */
  #refusal(address: string): OutgoingFailure {
    const why = `${this.#name} leads to ${address}, which is not a public address; if that is meant, set privateAddresses: true for this upstream`
    return new OutgoingFailure(why, { kind: 'address_refused' })
  }
}
