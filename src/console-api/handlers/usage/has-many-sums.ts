import type { Engine } from '../../../store/engine.ts'

/** As many hourly sums as these are read one by one in no time. */
const sumsMax = 50_000

const known = new WeakSet<Engine>()

/** Whether there are more sums of hours than one answer should read. There are never fewer again. */
export async function hasManySums(engine: Engine): Promise<boolean> {
  if (known.has(engine)) return true
  const beyond = await engine.db
    .selectFrom('usage_hour')
    .select('hour')
    .limit(1)
    .offset(sumsMax)
    .executeTakeFirst()
  if (beyond) known.add(engine)
  return beyond !== undefined
}
