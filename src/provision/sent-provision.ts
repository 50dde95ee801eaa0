import { ConfigProblem } from '../config/config-problem.ts'
import { pathText } from '../config/explain-issue.ts'
import type { Provision } from '../config/provision.ts'
import { type ProvisionVendor, readingSteps } from '../config/read-provision.ts'
import { sentSecrets } from '../config/secret-reader.ts'
import { turns } from '../core/runtime/turns.ts'
import { type Writing, write } from '../store/changes/write.ts'
import type { Engine } from '../store/engine.ts'
import type { Applied } from './applied.ts'
import { keepHolders, prepareProvision } from './apply-provision.ts'
import type { ProvisionDeps } from './provision-deps.ts'
import type { GrantCheck } from './unconfirmed-credit.ts'

/** Reading ends its turn of the event loop after this time. By time, because the first entries take many times longer. */
const turnMs = 5
/** Hashing a password takes a large part of a second of one core, and passwords are hashed one after the other. */
const passwordsMax = 50
/** The limit for the entries of all lists together. */
const entriesMax = 10_000
const routesMax = 20_000

/**
 * Reads a sent document like the file. The document must not name files or variables of the gateway, because they do
 * not belong to the sender.
 */
export async function readSentProvision(
  document: unknown,
  vendors: ReadonlyMap<string, ProvisionVendor>,
): Promise<Provision> {
  const file = {
    path: 'the document',
    value: document,
    whereIs: (path: readonly PropertyKey[]) => pathText(path),
    isSent: true,
  } as const
  checkLength(document)
  const steps = readingSteps({ file, root: [], written: document }, vendors, {
    secrets: sentSecrets,
    readFile: undefined,
  })
  for (let turnEndsAt = 0; ; ) {
    if (performance.now() >= turnEndsAt) {
      await turns.next()
      turnEndsAt = performance.now() + turnMs
    }
    const step = steps.next()
    if (step.done) {
      checkPasswords(step.value)
      checkRoutes(step.value)
      return step.value
    }
  }
}

/** Runs before any entry is read. */
function checkLength(document: unknown): void {
  const lists = typeof document === 'object' && document !== null ? Object.values(document) : []
  const sizes = lists.map((list: unknown) => (Array.isArray(list) ? list.length : 0))
  if (sizes.reduce((sum, size) => sum + size, 0) <= entriesMax) return
  throw new ConfigProblem(
    `the document has more than ${entriesMax} entries; send them in several documents.`,
  )
}

function checkRoutes({ upstreams }: Provision): void {
  const routes = upstreams.flatMap(({ groups, models }) =>
    models.map((route) => (route.groups ?? groups).length),
  )
  if (routes.reduce((sum, count) => sum + count, 0) <= routesMax) return
  throw new ConfigProblem(
    `upstreams defines more than ${routesMax} routes; send the upstreams in several documents.`,
    { place: 'upstreams' },
  )
}

function checkPasswords({ users }: Provision): void {
  if (users.filter(({ password }) => password !== undefined).length <= passwordsMax) return
  throw new ConfigProblem(
    `users has more than ${passwordsMax} passwords; send them in several documents.`,
    { place: 'users' },
  )
}

export interface SentRequest {
  /** The sender, for the audit log. */
  readonly actor: string
  /** Reports the changes without making them. */
  readonly isDryRun: boolean
  readonly grants: GrantCheck
  /** Throws in the transaction if the sender may no longer apply a document. */
  readonly recheck?: ((tx: Writing['tx']) => Promise<void>) | undefined
}

/** Applies the sent document, or reports what applying it would change. */
export async function applySent(
  engine: Engine,
  deps: ProvisionDeps,
  provision: Provision,
  { actor, isDryRun, grants, recheck }: SentRequest,
): Promise<Applied> {
  const apply = await prepareProvision(engine, deps, provision, { grants, actor })
  try {
    return await write(engine, deps.nowMs(), async (writing) => {
      await recheck?.(writing.tx)
      const applied = await keepHolders(writing, apply)
      if (isDryRun) throw new TakenBack(applied)
      return applied
    })
  } catch (error) {
    if (error instanceof TakenBack) return error.applied
    throw error
  }
}

/** Rolls the transaction back and carries the result. */
class TakenBack extends Error {
  override readonly name = 'TakenBack'
  readonly applied: Applied

  constructor(applied: Applied) {
    super('the dry run is rolled back')
    this.applied = applied
  }
}
