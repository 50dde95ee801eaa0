import { type Priority, priorities } from '../core/upstreams/priority.ts'
import type { Writing } from '../store/changes/write.ts'
import { selectAll } from '../store/rows/in-slices.ts'
import { namesGroup } from './key-list.ts'
import { settingColumns } from './setting-columns.ts'

/** A key whose requests have the priority of its groups from now on. */
export interface LoweredKey {
  readonly id: string
  /** The priority that the key had of its own. */
  readonly priority: Priority
}

interface Changed<Result> {
  readonly result: Result
  readonly lowered: readonly LoweredKey[]
}

const rankOf = (priority: string) => priorities.findIndex((each) => each === priority)

/**
 * Makes a change of a group. If the change lowers the priority of the group, the keys that had no more than the group
 * have no priority of their own any more: an owner of an account could not choose it now. Only an operator can have
 * given a key more than its groups, so such a key keeps what it has, and so do the keys of `except`.
 */
export async function lowerPrioritiesWith<Result>(
  writing: Writing,
  groupId: string,
  change: () => Promise<Result>,
  except: ReadonlySet<string> = new Set(),
): Promise<Changed<Result>> {
  const before = await groupRank(writing, groupId)
  const result = await change()
  const after = await groupRank(writing, groupId)
  if (before === undefined || after === undefined || after <= before) return { result, lowered: [] }
  const lowered: LoweredKey[] = []
  for (const { id, priority, othersRank } of await keysOfGroup(writing, groupId)) {
    const rank = rankOf(priority)
    const isAbove = rank < Math.max(after, othersRank)
    const wasAbove = rank < Math.max(before, othersRank)
    if (isAbove && !wasAbove && !except.has(id)) lowered.push({ id, priority })
  }
  for (const { id } of lowered) {
    await writing.tx.updateTable('api_key').set({ priority: null }).where('id', '=', id).execute()
    writing.announce('key', id)
  }
  return { result, lowered }
}

async function groupRank({ tx }: Writing, groupId: string): Promise<number | undefined> {
  const row = await tx
    .selectFrom('service_group')
    .select('priority')
    .where('id', '=', groupId)
    .executeTakeFirst()
  return row && rankOf(row.priority)
}

/** The keys with a priority of their own, and the rank of the lowest of their other groups. */
async function keysOfGroup({ tx }: Writing, groupId: string) {
  const rows = await tx
    .selectFrom('api_key')
    .select(['id', 'groups', 'priority'])
    .where(namesGroup(groupId))
    .where('priority', 'is not', null)
    .where('deleted_at', 'is', null)
    .execute()
  const keys = rows.flatMap((row) => {
    const priority = settingColumns.priority.read(row.priority)
    const others = settingColumns.groups.read(row.groups).filter((group) => group !== groupId)
    return priority === null ? [] : [{ id: row.id, priority, others }]
  })
  const groups = await selectAll(
    keys.flatMap(({ others }) => others),
    (some) =>
      tx.selectFrom('service_group').select(['id', 'priority']).where('id', 'in', some).execute(),
  )
  const ranks = new Map(groups.map(({ id, priority }) => [id, rankOf(priority)]))
  return keys.map(({ id, priority, others }) => {
    return {
      id,
      priority,
      othersRank: Math.max(-1, ...others.map((group) => ranks.get(group) ?? -1)),
    }
  })
}
