import type { Engine } from '../store/engine.ts'
import type { AlertKind } from './definition/alert.ts'

/** A replica repeats what it sees every minute. After this time without a repetition, the condition is over. */
export const localConditionLastsMs = 180_000

/** A condition that only this process can see. */
export interface LocalCondition {
  readonly kind: AlertKind
  readonly subject: string
  /** For display. */
  readonly detail: string
}

/**
 * Replaces what this process reported before. What a former process with the same name reported before `sinceMs` lasts
 * as if the replica were silent: a process that has just started knows nothing yet about its upstreams.
 */
export async function putLocalConditions(
  { db }: Pick<Engine, 'db'>,
  replica: string,
  seen: readonly LocalCondition[],
  nowMs: number,
  sinceMs = 0,
): Promise<void> {
  for (const { kind, subject, detail } of seen) {
    await db
      .insertInto('alert_sighting')
      .values({ replica, kind, subject, detail, at: nowMs })
      .onConflict((conflict) =>
        conflict.columns(['replica', 'kind', 'subject']).doUpdateSet({ detail, at: nowMs }),
      )
      .execute()
  }
  await db
    .deleteFrom('alert_sighting')
    .where('replica', '=', replica)
    .where('at', '!=', nowMs)
    .where('at', '>=', sinceMs)
    .execute()
  await db
    .deleteFrom('alert_sighting')
    .where(({ or, eb }) =>
      or([
        eb('at', '<=', nowMs - localConditionLastsMs),
        // Written by a replica that is gone, while the clock of the database was ahead.
        eb('at', '>', nowMs + localConditionLastsMs),
      ]),
    )
    .execute()
}
