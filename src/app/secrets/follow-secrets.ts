import { setTimeout as sleep } from 'node:timers/promises'
import type { ReferencedSecret, ReferencedSecrets } from '../../config/referenced-secrets.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'

export const followLimits = {
  /**
   * How often files are read. Notifications of the file system are not used: mounted secrets are replaced by symbolic
   * links.
   */
  lookEveryMs: 2_000,
  /** A changed file counts when it has the same content after this time: another program may still be writing it. */
  settleMs: 250,
  /** The wait before the next run of a program that failed, or whose secret an upstream rejects. */
  retryMs: 30_000,
  /** Programs that run at the same time. */
  programsMax: 4,
}

/** The state of a secret, without its value. */
export interface SecretState {
  readonly name: string
  /** When it was last read without a problem. */
  readonly readAtMs: number
  readonly changedAtMs: number | undefined
  /** Why the last reading failed. The former value stays in force. */
  readonly failure: { readonly sinceMs: number; readonly why: string } | undefined
}

export interface SecretFollower {
  /** Reads all of them now. */
  readAll(): void
  stop(): Promise<void>
}

export interface FollowDeps {
  readonly secrets: ReferencedSecrets
  /** How often programs are run; 0: only when their secret is rejected, or on request. */
  readonly refreshMs: number
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** Puts a new value into force, or throws an Error whose message contains nothing secret. */
  readonly adopt: (text: string, value: string) => Promise<void>
  /** Whether an upstream rejects this value. */
  readonly isRejected: (value: string) => boolean
  /** Called after a change that an operator may want to see. */
  readonly onState: (states: readonly SecretState[]) => void
  readonly limits?: Partial<typeof followLimits>
}

type Result = 'changed' | 'unchanged' | 'failed'
const results: readonly Result[] = ['changed', 'unchanged', 'failed']

/** Reads secrets of files and programs again while the gateway runs. No request waits for it. */
export function followSecrets(deps: FollowDeps): SecretFollower {
  const limits = { ...followLimits, ...deps.limits }
  const count = countReads(deps.metrics)
  const { monotonicMs } = deps.clock
  const followed = deps.secrets.list.map((each) => new FollowedSecret(each, deps))
  deps.metrics.gauge(
    'tollgate_secrets_failing',
    'Secrets of files and programs whose last reading failed.',
    () => followed.filter(({ state }) => state.failure).length,
    'largest',
  )
  const reportStates = (): void => deps.onState(followed.map(({ state }) => state))
  const running = new Map<FollowedSecret, Promise<void>>()
  const ending = new AbortController()
  const read = async (each: FollowedSecret): Promise<void> => {
    each.isAsked = false
    const result = await each.readAgain(limits, ending.signal)
    if (ending.signal.aborted) return
    // After another request meanwhile, the secret is read again at once: this reading may have come too early.
    each.dueMs = each.isAsked ? 0 : monotonicMs() + each.waitMs(result, deps.refreshMs, limits)
    if (result === undefined) return
    count(result)
    if (each.isReportDue) reportStates()
    each.isReportDue = false
  }
  const look = (): void => {
    const nowMs = monotonicMs()
    for (const each of followed) {
      if (running.has(each) || !each.isDue(nowMs, limits)) continue
      const programs = [...running.keys()].filter(({ secret }) => secret.kind === 'exec').length
      if (each.secret.kind === 'exec' && programs >= limits.programsMax) continue
      running.set(
        each,
        read(each).finally(() => running.delete(each)),
      )
    }
  }
  for (const each of followed)
    each.dueMs = monotonicMs() + each.waitMs('unchanged', deps.refreshMs, limits)
  if (followed.length > 0) reportStates()
  const timer = followed.length === 0 ? undefined : setInterval(look, limits.lookEveryMs)
  return {
    readAll: () => {
      for (const each of followed) {
        each.dueMs = 0
        each.isAsked = true
      }
      look()
    },
    stop: async () => {
      clearInterval(timer)
      ending.abort()
      await Promise.all(running.values())
    },
  }
}

function countReads(metrics: Metrics): (result: Result) => void {
  const reads = metrics.counter(
    'tollgate_secret_reads_total',
    'Readings of secrets in files and programs while the gateway runs.',
    ['result'],
  )
  for (const result of results) reads.add([result], 0)
  return (result) => reads.add([result])
}

class FollowedSecret {
  readonly secret: ReferencedSecret
  readonly #deps: FollowDeps
  #value: string
  /** The reading at the start does not count: its value may be the rejected one. */
  #readMs = Number.NEGATIVE_INFINITY
  state: SecretState
  dueMs = 0
  isAsked = false
  /** Whether the last reading has changed the state that an operator sees. */
  isReportDue = false

  constructor(secret: ReferencedSecret, deps: FollowDeps) {
    const { clock } = deps
    this.secret = secret
    this.#deps = deps
    this.#value = secret.value
    const readAtMs = clock.nowMs()
    this.state = { name: secret.name, readAtMs, changedAtMs: undefined, failure: undefined }
  }

  isDue(nowMs: number, { retryMs }: typeof followLimits): boolean {
    if (nowMs >= this.dueMs) return true
    const isOld = nowMs - this.#readMs >= retryMs
    return this.secret.kind === 'exec' && isOld && this.#deps.isRejected(this.#value)
  }

  waitMs(result: Result | undefined, refreshMs: number, limits: typeof followLimits): number {
    if (this.secret.kind === 'file') return limits.lookEveryMs
    const wait = refreshMs === 0 ? Number.POSITIVE_INFINITY : refreshMs
    return result === 'failed' ? Math.min(wait, limits.retryMs) : wait
  }

  /** Undefined if there is no result yet. */
  async readAgain(
    { settleMs }: typeof followLimits,
    signal: AbortSignal,
  ): Promise<Result | undefined> {
    const { secrets, clock, log } = this.#deps
    this.#readMs = clock.monotonicMs()
    const { text, name, kind } = this.secret
    const reading = await secrets.read(text, signal)
    if (!reading || signal.aborted) return undefined
    if ('wrong' in reading) return this.#fail(reading.wrong)
    if (reading.value !== this.#value) {
      if (kind === 'file' && !(await this.#isSettled(reading.value, settleMs, signal)))
        return undefined
      try {
        await this.#deps.adopt(text, reading.value)
      } catch (error) {
        return this.#fail(error instanceof Error ? error.message : String(error))
      }
      this.#value = reading.value
      this.#succeed(clock.nowMs())
      log.info('secret_changed', { secret: name })
      return 'changed'
    }
    this.#succeed(this.state.changedAtMs)
    return 'unchanged'
  }

  async #isSettled(value: string, settleMs: number, signal: AbortSignal): Promise<boolean> {
    await sleep(settleMs, undefined, { signal }).catch(() => undefined)
    const again = await this.#deps.secrets.read(this.secret.text, signal)
    return !signal.aborted && again !== undefined && 'value' in again && again.value === value
  }

  #succeed(changedAtMs: number | undefined): void {
    const { failure } = this.state
    if (failure) this.#deps.log.info('secret_readable', { secret: this.state.name })
    this.isReportDue = failure !== undefined || changedAtMs !== this.state.changedAtMs
    const readAtMs = this.#deps.clock.nowMs()
    this.state = { ...this.state, readAtMs, changedAtMs, failure: undefined }
  }

  /** A failure that lasts is logged once. */
  #fail(why: string): Result {
    const { name, failure } = this.state
    if (failure?.why === why) return 'failed'
    this.#deps.log.warn('secret_not_read', {
      secret: name,
      why,
      todo: 'the former value stays in force',
    })
    const sinceMs = failure?.sinceMs ?? this.#deps.clock.nowMs()
    this.state = { ...this.state, failure: { sinceMs, why } }
    this.isReportDue = true
    return 'failed'
  }
}
