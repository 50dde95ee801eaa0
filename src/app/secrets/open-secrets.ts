import type { ReferencedSecrets } from '../../config/referenced-secrets.ts'
import type { Clock } from '../../core/clock.ts'
import type { Engine } from '../../store/engine.ts'
import type { Vault } from '../../store/vault.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Node } from '../open-node.ts'
import { adoptSecret, type LiveConfig } from './adopt-secret.ts'
import { followSecrets, type SecretFollower } from './follow-secrets.ts'
import { forgetSecrets, noteSecrets } from './noted-secrets.ts'

export interface SecretNeeds {
  readonly live: LiveConfig
  readonly engine: Engine
  readonly vault: Vault
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  readonly replica: string
  readonly node: Pick<Node, 'deadCredentials'>
}

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
  needs: SecretNeeds,
): SecretFollower {
  const { live, engine, clock, log, replica, node } = needs
  const follower = followSecrets({
    ...needs,
    secrets,
    refreshMs: live.config.secretRefreshMs,
    adopt: adoptSecret({ ...needs, secrets, nowMs: clock.nowMs }),
    isRejected: (value) => [...node.deadCredentials()].some((each) => each.value === value),
    onState: (states) => {
      noteSecrets(engine, replica, states).catch((error: unknown) =>
        log.debug('secrets_not_noted', { why: String(error) }),
      )
    },
  })
  return {
    readAll: follower.readAll,
    stop: async () => {
      await follower.stop()
      if (secrets.list.length > 0) await forgetSecrets(engine, replica).catch(() => undefined)
    },
  }
}
