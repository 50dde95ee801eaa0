import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import type { ReplicaState } from '../../store/engine.ts'
import { openStore } from '../../store/open-store.ts'
import { type DoctorFinding, fail, ok, warn } from './finding.ts'

const topic = 'read database'
/** A standby that has just received changes may need a moment. */
const tries = 4
const betweenMs = 1_200

/** Whether usage can be read from the standby. The primary answers if not, so no finding stops the gateway. */
export async function checkReadDatabase(
  { database, readDatabase }: Pick<Config, 'database' | 'readDatabase'>,
  isDatabaseUsable: boolean,
): Promise<DoctorFinding[]> {
  if (readDatabase === undefined || !isDatabaseUsable) return []
  const server = new URL(readDatabase).host
  const engine = await openStore(database, readDatabase)
  try {
    let state: ReplicaState = 'unused'
    for (let left = tries; left > 0 && (state === 'unused' || state === 'behind'); left--) {
      if (state === 'behind') await sleep(betweenMs)
      await engine.usageDb.selectFrom('fact').select('name').limit(1).execute()
      state = engine.readReplica?.() ?? 'unused'
    }
    return [describe(server, state)]
  } finally {
    await engine.close()
  }
}

function describe(server: string, state: ReplicaState): DoctorFinding {
  if (state === 'used') return ok(topic, `${server} keeps up; usage is read there`)
  if (state === 'behind')
    return warn(
      topic,
      `${server} is more than 5 seconds behind, so the primary answers; check the replication`,
    )
  if (state === 'promoted')
    return fail(
      topic,
      `${server} is not a standby, so the primary answers; set readDatabase to a server that follows the primary`,
    )
  return fail(
    topic,
    `${server} cannot be used, so the primary answers; check the setting readDatabase and the server`,
  )
}
