import { setTimeout as sleep } from 'node:timers/promises'
import type { ReferencedSecrets } from '../../config/referenced-secrets.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Engine } from '../../store/engine.ts'
import { type FailingSecret, noteFailing } from '../../store/secrets/noted-secrets.ts'
import type { Vault } from '../../store/secrets/vault.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Node } from '../node/open-node.ts'
import { adoptSecret, type LiveConfig } from './adopt-secret.ts'
import { followSecrets, type SecretFollower } from './follow-secrets.ts'

export interface SecretDeps {
  readonly live: LiveConfig
  readonly engine: Engine
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly replica: string
  readonly node: Pick<Node, 'deadCredentials' | 'rateLimits'>
}

/** A stop does not wait longer for the database. */
const noteMs = 1_000

const none: ReferencedSecrets = {
  list: [],
  read: async () => undefined,
  rebuild: () => {
    throw new Error('there is no secret to change')
  },
}

/** Follows the secrets of this process that are in files and programs. */
export function openSecrets(
  secrets: ReferencedSecrets | undefined = none,
  deps: SecretDeps,
): SecretFollower {
  const { live, engine, clock, log, replica, node } = deps
  // One write after the other, so that the database ends with the last state.
  let noted: Promise<void> = Promise.resolve()
  const note = (failing: readonly FailingSecret[]): void => {
    noted = noted
      .then(() => noteFailing(engine, replica, failing))
      .catch((error: unknown) => log.debug('secrets_not_noted', { why: String(error) }))
  }
  const follower = followSecrets({
    ...deps,
    secrets,
    refreshMs: live.config.secretRefreshMs,
    adopt: adoptSecret({
      ...deps,
      secrets,
      rateLimits: node.rateLimits,
      nowMs: clock.nowMs,
    }),
    isRejected: (value) => [...node.deadCredentials()].some((each) => each.value === value),
    onState: (states) =>
      note(states.flatMap(({ name, failure }) => (failure ? [{ name, ...failure }] : []))),
  })
  return {
    readAll: follower.readAll,
    stop: async () => {
      await follower.stop()
      if (secrets.list.length > 0) note([])
      await Promise.race([noted, sleep(noteMs)])
    },
  }
}
