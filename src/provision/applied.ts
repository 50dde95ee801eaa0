import type { PutResult } from '../catalog/catalog-store.ts'
import type { Provision } from '../config/provision.ts'

export type ProvisionKind = keyof Provision

export type AppliedCounts = Record<PutResult, number>

/** A created or changed entry; `kind` is in the singular, such as `key`. */
export interface AppliedChange {
  readonly kind: string
  readonly id: string
  readonly result: Exclude<PutResult, 'same'>
}

/** Changes that are listed one by one. A file may have many more entries. */
export const listedChangesMax = 1_000

/** The changes that applying a file made, by kind of entry, and the warnings for the operator. */
export interface Applied {
  readonly counts: Readonly<Record<ProvisionKind, AppliedCounts>>
  /** The first `listedChangesMax` changes. */
  readonly changes: readonly AppliedChange[]
  readonly warnings: readonly string[]
}

export function emptyCounts(): Record<ProvisionKind, AppliedCounts> {
  const none = () => ({ created: 0, changed: 0, same: 0 })
  return {
    groups: none(),
    models: none(),
    upstreams: none(),
    accounts: none(),
    users: none(),
    keys: none(),
    alerts: none(),
  }
}

/**
 * The result for a resource that is stored in several parts: it counts as created only if its first part was created.
 */
export function combineResults(first: PutResult, ...others: readonly PutResult[]): PutResult {
  if (first !== 'same') return first
  return others.every((each) => each === 'same') ? 'same' : 'changed'
}

/** One line such as `provision: 2 groups (1 created, 1 unchanged), 1 key (1 changed)`. */
export function describeApplied({
  counts,
}: {
  readonly counts: Readonly<Record<string, AppliedCounts>>
}): string {
  const parts = Object.entries(counts).flatMap(([kind, count]) => {
    const total = count.created + count.changed + count.same
    if (total === 0) return []
    const counts = [
      count.created > 0 ? `${count.created} created` : '',
      count.changed > 0 ? `${count.changed} changed` : '',
      count.same > 0 ? `${count.same} unchanged` : '',
    ].filter((word) => word !== '')
    return [`${total} ${total === 1 ? kind.slice(0, -1) : kind} (${counts.join(', ')})`]
  })
  return `provision: ${parts.length === 0 ? 'nothing to apply' : parts.join(', ')}`
}

/** A line for each change of a dry run, such as `  would create key k1`. */
export function describeChanges({ changes }: Pick<Applied, 'changes'>): string {
  const verbs = { created: 'create', changed: 'change' }
  return changes.map(({ kind, id, result }) => `  would ${verbs[result]} ${kind} ${id}\n`).join('')
}
