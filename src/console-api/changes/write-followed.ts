import type { ChangeTopic } from '../../store/changes/changes.ts'
import { type Writing, write } from '../../store/changes/write.ts'
import type { ConsoleDeps } from '../ports/console-parts.ts'

/** Changes that decide whose requests are admitted. */
const followed: ReadonlySet<ChangeTopic> = new Set<ChangeTopic>(['key', 'account'])

/**
 * Like `write`. This process then also admits requests as the change says: once a removal is answered, the next request
 * of the removed member is refused. Other processes follow soon afterwards.
 */
export async function writeFollowed<T>(
  { engine, gateway }: Pick<ConsoleDeps, 'engine' | 'gateway'>,
  nowMs: number,
  work: (writing: Writing) => Promise<T>,
): Promise<T> {
  let isFollowed = false
  const result = await write(engine, nowMs, (writing) => {
    const announce: Writing['announce'] = (topic, subject) => {
      if (followed.has(topic)) isFollowed = true
      writing.announce(topic, subject)
    }
    return work({ ...writing, announce })
  })
  if (isFollowed) await gateway.catchUp()
  return result
}
