import { RedisClient } from 'bun'
import { newId } from '../../core/id.ts'
import { errorCodes } from '../engine/error-codes.ts'
import { explainClosed } from './explain-closed.ts'
import { movedUrl } from './moved-url.ts'
import { OrderedScripts, type Script, type ScriptArgs } from './ordered-scripts.ts'

/** The longest wait for an answer of the server. After it the connection counts as lost. */
export const serverWaits = { answerMs: 1_000 }
/** After the wait, time to read an answer that came while this process was busy. */
const readMs = 50
/** The pause before the next attempt to connect. */
const reconnectMs = 1_000
/** The calls that may wait for an answer at the same time. */
const waitingMax = 10_000

/** All keys begin with this. Braces: a cluster keeps all keys of one script on one server. */
export const keyPrefix = 'tollgate:{limits}:'
/** The nodes of a cluster that one attempt to connect asks for the node with the keys. */
const redirectsMax = 3

/** The server did not answer, or not in time. The script may have run or not. */
export class ScriptHostDown extends Error {
  override readonly name = 'ScriptHostDown'
}

export interface ScriptHostCalls {
  readonly scripts: readonly Script[]
  /** A connection is used only if all of these calls succeed. */
  readonly checks: readonly ScriptArgs[]
}

export interface ScriptHostEvents {
  onDown(why: string): void
  onUp(): void
}

/**
 * A connection to Redis or Valkey that runs scripts in the order of the calls. While the connection is lost, every call
 * fails at once and a new connection is tried in the background. A node of a cluster names the node that has the keys.
 */
export class ScriptHost {
  #url: string
  readonly #calls: ScriptHostCalls
  readonly #events: ScriptHostEvents
  readonly #owner = newId('scripts')
  #ordered: OrderedScripts | undefined
  #client: RedisClient | undefined
  #isUp = false
  #isClosed = false
  #waiting = 0
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(url: string, calls: ScriptHostCalls, events: ScriptHostEvents) {
    this.#url = url
    this.#calls = calls
    this.#events = events
  }

  get isUp(): boolean {
    return this.#isUp
  }

  /** Ends after the first attempt. Never fails: the next attempt follows in the background. */
  async open(): Promise<void> {
    await this.#connect(this.#url, 0)
  }

  async #connect(url: string, redirects: number): Promise<void> {
    if (this.#isClosed) return
    const client = new RedisClient(url, {
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout: serverWaits.answerMs,
    })
    const { scripts, checks } = this.#calls
    const ordered = new OrderedScripts(client, scripts, this.#owner)
    this.#client = client
    try {
      await withTimeout(client.connect())
      ordered.load()
      const answers = checks.map(({ script, keys, values }) => ordered.run(script, keys, values))
      await withTimeout(Promise.all(answers))
    } catch (error) {
      const moved = movedUrl(url, messageOf(error))
      if (moved === undefined || redirects === redirectsMax || this.#client !== client) {
        this.#lose(client, await this.#why(url, error))
        return
      }
      client.close()
      await this.#connect(moved, redirects + 1)
      return
    }
    if (this.#client !== client) return
    client.onclose = (error) => this.#lose(client, messageOf(error))
    this.#ordered = ordered
    this.#isUp = true
    this.#events.onUp()
  }

  async run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const client = this.#client
    const ordered = this.#ordered
    if (!this.#isUp || !client || !ordered) throw new ScriptHostDown('the connection is lost')
    if (this.#waiting >= waitingMax) throw new ScriptHostDown('too many calls are waiting')
    this.#waiting += 1
    try {
      return await withTimeout(ordered.run(script, keys, values))
    } catch (error) {
      this.#lose(client, messageOf(error))
      throw new ScriptHostDown(messageOf(error), { cause: error })
    } finally {
      this.#waiting -= 1
    }
  }

  /**
   * Uses another user or password of the same server from now on. An open connection changes over between two calls. If
   * the server does not accept them, this throws and nothing changes.
   */
  async changeUrl(url: string): Promise<void> {
    const { username, password } = new URL(url)
    const client = this.#client
    if (this.#isUp && client && password !== '') {
      const login = [username, password].filter((part) => part !== '').map(decodeURIComponent)
      await withTimeout(client.send('AUTH', login))
    }
    this.#url = url
  }

  close(): void {
    this.#isClosed = true
    this.#isUp = false
    clearTimeout(this.#retry)
    this.#client?.close()
    this.#client = undefined
  }

  async #why(url: string, error: unknown): Promise<string> {
    const isByServer = !this.#isClosed && errorCodes(error).includes('ERR_REDIS_CONNECTION_CLOSED')
    return isByServer ? explainClosed(url, serverWaits.answerMs) : messageOf(error)
  }

  #lose(client: RedisClient, why: string): void {
    if (this.#client !== client || this.#isClosed) return
    this.#client = undefined
    this.#isUp = false
    client.close()
    this.#events.onDown(why)
    this.#retry = setTimeout(() => void this.open(), reconnectMs)
    this.#retry.unref()
  }
}

async function withTimeout<Value>(answer: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const giveUp = () => late.reject(new Error(`no answer within ${serverWaits.answerMs} ms`))
  let timer = setTimeout(() => {
    timer = setTimeout(giveUp, readMs)
  }, serverWaits.answerMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
    answer.catch(() => undefined)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
