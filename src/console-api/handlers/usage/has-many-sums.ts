import type { Engine } from '../../../store/engine.ts'

/** This many hourly sums can be read quickly. */
const sumsMax = 50_000

const known = new WeakSet<Engine>()

/** Whether there are too many hourly sums to read them all for one response. Their number never decreases. */
export async function hasManySums(engine: Engine): Promise<boolean> {
  if (known.has(engine)) return true
  const beyond = await engine.usageDb
    .selectFrom('usage_hour')
    .select('hour')
    .limit(1)
    .offset(sumsMax)
    .executeTakeFirst()
  if (beyond) known.add(engine)
  return beyond !== undefined
}
