import { hostname } from 'node:os'
import type { Config } from '../../config/config.ts'

/**
 * One identity per machine and port: it is the same after a restart, so the process recovers its own journals. Undefined
 * when the system chooses the port at each start.
 */
export function replicaName(
  { replica, listen }: Pick<Config, 'replica' | 'listen'>,
  port: number,
): string | undefined {
  if (replica !== undefined) return replica
  return listen.port === 0 ? undefined : `${hostname()}:${port}`
}
