import type { LocalCondition } from '../../alerts/local-conditions.ts'
import type { Clock } from '../../core/time/clock.ts'
import { type Engine, forBackgroundWork } from '../../store/engine.ts'
import type { Node } from '../node/open-node.ts'
import { readHealth } from '../upstreams/read-health.ts'

interface LocalConditionDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly node: Pick<Node, 'routing' | 'upstreams'>
}

/** Upstreams and credentials that this process finds broken. */
export async function findLocalConditions({
  engine,
  clock,
  node,
}: LocalConditionDeps): Promise<LocalCondition[]> {
  const { db } = forBackgroundWork(engine)
  const upstreams = await db.selectFrom('upstream').select('id').where('enabled', '=', 1).execute()
  const credentials = await db
    .selectFrom('upstream_credential')
    .select(['id', 'name', 'upstream_id'])
    .where('enabled', '=', 1)
    .execute()
  return upstreams.flatMap(({ id }): LocalCondition[] => {
    const health = readHealth(node.routing.health.viewOf(id), clock, node.upstreams.lastTest(id))
    if (!health) return []
    const rejected = credentials.filter(
      (each) => each.upstream_id === id && health.credentials.get(each.id)?.state === 'rejected',
    )
    return [
      ...(health.state === 'down'
        ? [{ kind: 'upstream_down' as const, subject: id, detail: id }]
        : []),
      ...rejected.map((each) => ({
        kind: 'credential_rejected' as const,
        subject: each.id,
        detail: `${id}/${each.name}`,
      })),
    ]
  })
}
