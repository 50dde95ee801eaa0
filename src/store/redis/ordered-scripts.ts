import { createHash } from 'node:crypto'
import type { RedisClient } from 'bun'

/** A script that the server runs in one step. */
export interface Script {
  readonly text: string
}

/** A call of a script. */
export interface ScriptArgs {
  readonly script: Script
  readonly keys: readonly string[]
  readonly values: readonly string[]
}

interface ScriptCall {
  readonly turn: number
  readonly args: readonly string[]
  resolve(answer: unknown): void
  reject(error: unknown): void
}

/**
 * Runs scripts on one connection in the order of the calls. Calls name the scripts by their hash. A server that has
 * forgotten the scripts refuses every call until this process sends the text again: all scripts are one text, which
 * contains the name of the process, so nobody else can send the text in between. The refused calls are repeated in
 * their order, and later calls wait until then. Otherwise a request could be counted before the end of an earlier one.
 */
export class OrderedScripts {
  readonly #client: RedisClient
  readonly #scripts: readonly Script[]
  readonly #text: string
  readonly #hash: string
  #turns = 0
  /** The calls that the server has not answered. */
  #flying = 0
  /** The calls to be repeated, and those made since. */
  #held: ScriptCall[] = []

  /** `owner` differs in every process. */
  constructor(client: RedisClient, scripts: readonly Script[], owner: string) {
    this.#client = client
    this.#scripts = scripts
    this.#text = joined(scripts, owner)
    this.#hash = createHash('sha1').update(this.#text).digest('hex')
  }

  /**
   * Sends the text, and runs nothing. With EVAL, because a server may drop the unused texts of ended processes only if
   * they came with EVAL.
   */
  load(): void {
    this.#client.send('EVAL', [this.#text, '0', '']).catch(() => undefined)
  }

  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const which = String(this.#scripts.indexOf(script))
    const args = [String(keys.length), ...keys, ...values, which]
    this.#turns += 1
    const call: ScriptCall = { turn: this.#turns, args, resolve, reject }
    if (this.#held.length > 0) this.#held.push(call)
    else this.#send(call, 'EVALSHA', this.#hash)
    return promise
  }

  #send(call: ScriptCall, command: 'EVAL' | 'EVALSHA', script: string): void {
    this.#flying += 1
    this.#client.send(command, [script, ...call.args]).then(
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
    const [first, ...others] = this.#held.toSorted((one, other) => one.turn - other.turn)
    this.#held = []
    if (first) this.#send(first, 'EVAL', this.#text)
    for (const call of others) this.#send(call, 'EVALSHA', this.#hash)
  }
}

/** The last value of a call is the index of its script. */
function joined(scripts: readonly Script[], owner: string): string {
  const parts = scripts.map(({ text }, index) => `if which == '${index}' then\n${text}\nend`)
  return [`-- ${owner}`, 'local which = table.remove(ARGV)', ...parts].join('\n')
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
