import { createHash } from 'node:crypto'
import type { RedisClient } from 'bun'

/** A script that the server runs in one step. */
export interface Script {
  readonly text: string
  readonly hash: string
}

export function scriptOf(text: string): Script {
  return { text, hash: createHash('sha1').update(text).digest('hex') }
}

interface ScriptCall {
  readonly turn: number
  readonly script: Script
  readonly words: readonly string[]
  resolve(answer: unknown): void
  reject(error: unknown): void
}

/**
 * Runs scripts on one connection in the order of the calls. Calls name a script by its hash. If the server does not know
 * the scripts any more, the calls that it refused are repeated in their order, and later calls wait until then. Otherwise
 * a request could be counted before the end of an earlier one.
 */
export class OrderedScripts {
  readonly #client: RedisClient
  readonly #scripts: readonly Script[]
  #turns = 0
  /** The calls that the server has not answered. */
  #flying = 0
  /** The calls to be repeated, and those made since. */
  #held: ScriptCall[] = []

  constructor(client: RedisClient, scripts: readonly Script[]) {
    this.#client = client
    this.#scripts = scripts
  }

  /** Sends the texts. A server that does not permit this gets the text with each call that it refused. */
  load(): void {
    for (const { text } of this.#scripts)
      this.#client.send('SCRIPT', ['LOAD', text]).catch(() => undefined)
  }

  run(script: Script, words: readonly string[]): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#turns += 1
    const call: ScriptCall = { turn: this.#turns, script, words, resolve, reject }
    if (this.#held.length > 0) this.#held.push(call)
    else this.#send(call, 'EVALSHA', script.hash)
    return promise
  }

  #send(call: ScriptCall, command: 'EVAL' | 'EVALSHA', script: string): void {
    this.#flying += 1
    this.#client.send(command, [script, ...call.words]).then(
      (answer) => this.#answered(() => call.resolve(answer)),
      (error: unknown) =>
        this.#answered(() => {
          if (isUnknownScript(error)) this.#held.push(call)
          else call.reject(error)
        }),
    )
  }

  #answered(note: () => void): void {
    this.#flying -= 1
    note()
    if (this.#flying > 0 || this.#held.length === 0) return
    const calls = this.#held.toSorted((one, other) => one.turn - other.turn)
    this.#held = []
    this.load()
    for (const call of calls) this.#send(call, 'EVAL', call.script.text)
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
