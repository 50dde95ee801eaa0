import { ResponseStore } from '../../conversations/response-store.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Engine } from '../../store/engine.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import type { Log } from '../../telemetry/log.ts'

const sweepEveryMs = 10 * 60_000

export interface OpenResponses {
  readonly store: ResponseStore
  /** Resolves when everything kept so far is written. */
  close(): Promise<void>
}

/** Stored responses, and the sweeper that deletes expired ones. */
export function openResponses(parts: {
  readonly engine: Engine
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Log
  readonly responseRetentionMs: number
}): OpenResponses {
  const { engine, vault, clock, log } = parts
  const store = new ResponseStore({
    engine,
    vault,
    nowMs: clock.nowMs,
    retentionMs: parts.responseRetentionMs,
    onError: (error) => log.error('response_not_stored', { why: String(error) }),
  })
  const sweeper = setInterval(() => {
    store.sweep().catch((error: unknown) => log.warn('sweep_failed', { why: String(error) }))
  }, sweepEveryMs)
  return {
    store,
    close: async () => {
      clearInterval(sweeper)
      await store.written()
    },
  }
}
